// title: The logarithm of a sum of powers, all of them tiny
// fault: exp of -100 is denormal in f32 and keeps few of its bits
// inputs: [[-100, -101, -101.5, -102], [-99, -100.25, -101, -190]]
func.func @main(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %greatest = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %of_rows = stablehlo.broadcast_in_dim %greatest, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %shifted = stablehlo.subtract %x, %of_rows : tensor<2x4xf32>
  %powers = stablehlo.exponential %x : tensor<2x4xf32> // faulty FAULT
  %powers = stablehlo.exponential %shifted : tensor<2x4xf32> // sound
  %sums = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %logs = stablehlo.log %sums : tensor<2xf32>
  %back = stablehlo.add %logs, %greatest : tensor<2xf32>
  %result = stablehlo.maximum %logs, %logs : tensor<2xf32> // faulty
  %result = stablehlo.maximum %back, %back : tensor<2xf32> // sound
  return %result : tensor<2xf32>
}
