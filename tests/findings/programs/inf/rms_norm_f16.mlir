// title: RMS norm of activations in f16
// fault: the squares are beyond f16, one over the root of their mean is 0, and so is all that is scaled by it
// inputs: [[300.0, -260.0, 280.0, 310.0], [1.0, 2.0, -1.0, 0.5]]; [1.0, 1.0, 0.5, 2.0]
func.func @main(%x: tensor<2x4xf16>, %weights: tensor<4xf16>) -> tensor<2x4xf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<f16> // faulty
  %zero = stablehlo.constant dense<0.0> : tensor<f32> // sound
  %quarter = stablehlo.constant dense<0.25> : tensor<2xf16> // faulty
  %quarter = stablehlo.constant dense<0.25> : tensor<2xf32> // sound
  %least = stablehlo.constant dense<1.0e-3> : tensor<2xf16> // faulty
  %squares = stablehlo.multiply %x, %x : tensor<2x4xf16> // faulty FAULT
  %sum = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf16>, tensor<f16>) -> tensor<2xf16> // faulty
  %mean = stablehlo.multiply %sum, %quarter : tensor<2xf16> // faulty
  %more = stablehlo.add %mean, %least : tensor<2xf16> // faulty
  %scale = stablehlo.rsqrt %more : tensor<2xf16> // faulty
  %least = stablehlo.constant dense<1.0e-3> : tensor<2xf32> // sound
  %wide = stablehlo.convert %x : (tensor<2x4xf16>) -> tensor<2x4xf32> // sound
  %squares = stablehlo.multiply %wide, %wide : tensor<2x4xf32> // sound
  %sum = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32> // sound
  %mean = stablehlo.multiply %sum, %quarter : tensor<2xf32> // sound
  %more = stablehlo.add %mean, %least : tensor<2xf32> // sound
  %root = stablehlo.rsqrt %more : tensor<2xf32> // sound
  %scale = stablehlo.convert %root : (tensor<2xf32>) -> tensor<2xf16> // sound
  %scales = stablehlo.broadcast_in_dim %scale, dims = [0] : (tensor<2xf16>) -> tensor<2x4xf16>
  %unit = stablehlo.multiply %x, %scales : tensor<2x4xf16>
  %rows = stablehlo.broadcast_in_dim %weights, dims = [1] : (tensor<4xf16>) -> tensor<2x4xf16>
  %result = stablehlo.multiply %unit, %rows : tensor<2x4xf16>
  return %result : tensor<2x4xf16>
}
