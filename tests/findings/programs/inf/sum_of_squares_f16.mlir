// title: The length of a vector in f16
// fault: each square is within f16, their sum is not
// inputs: [150, -140, 120, 160, 1, 2]
func.func @main(%x: tensor<6xf16>) -> tensor<f16> {
  %squares = stablehlo.multiply %x, %x : tensor<6xf16> // faulty
  %zero = stablehlo.constant dense<0.0> : tensor<f16> // faulty
  %sum = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6xf16>, tensor<f16>) -> tensor<f16> // faulty FAULT
  %length = stablehlo.sqrt %sum : tensor<f16> // faulty
  %wide = stablehlo.convert %x : (tensor<6xf16>) -> tensor<6xf32> // sound
  %squares = stablehlo.multiply %wide, %wide : tensor<6xf32> // sound
  %zero = stablehlo.constant dense<0.0> : tensor<f32> // sound
  %sum = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32> // sound
  %root = stablehlo.sqrt %sum : tensor<f32> // sound
  %length = stablehlo.convert %root : (tensor<f32>) -> tensor<f16> // sound
  return %length : tensor<f16>
}
