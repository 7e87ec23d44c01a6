// title: A function that normalises rows, called for two tensors
// fault: the second tensor has a row of zeros, and 0 / 0 is NaN inside of the function
// inputs: [[3, 4], [1, -1]]; [[2, 0], [0, 0]]
func.func @main(%queries: tensor<2x2xf32>, %keys: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %q = func.call @normalise(%queries) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %k = func.call @normalise(%keys) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %cosines = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %cosines : tensor<2x2xf32>
}
func.func private @normalise(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %epsilon = stablehlo.constant dense<1.0e-6> : tensor<2xf32>
  %squares = stablehlo.multiply %x, %x : tensor<2x2xf32>
  %sums = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  %length = stablehlo.sqrt %sums : tensor<2xf32>
  %guarded = stablehlo.maximum %length, %epsilon : tensor<2xf32>
  %lengths = stablehlo.broadcast_in_dim %length, dims = [0] : (tensor<2xf32>) -> tensor<2x2xf32> // faulty
  %lengths = stablehlo.broadcast_in_dim %guarded, dims = [0] : (tensor<2xf32>) -> tensor<2x2xf32> // sound
  %result = stablehlo.divide %x, %lengths : tensor<2x2xf32> // FAULT
  return %result : tensor<2x2xf32>
}
