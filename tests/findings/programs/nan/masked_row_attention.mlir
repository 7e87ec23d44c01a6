// title: Attention with a row that the mask hides whole
// fault: the maximum of a hidden row is -Inf, and -Inf - -Inf is NaN
// inputs: [[0.5, -1, 2, 0.25], [1, 0, -0.5, 3], [-2, 1, 0.5, 0]]; iota[4, 2]
func.func @main(%scores: tensor<3x4xf32>, %values: tensor<4x2xf32>) -> tensor<3x2xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %seen = stablehlo.constant dense<[[true, true, false, false], [false, false, false, false], [true, true, true, true]]> : tensor<3x4xi1> // faulty
  %seen = stablehlo.constant dense<[[true, true, false, false], [true, false, false, false], [true, true, true, true]]> : tensor<3x4xi1> // sound
  %hidden = stablehlo.broadcast_in_dim %least, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
  %masked = stablehlo.select %seen, %scores, %hidden : tensor<3x4xi1>, tensor<3x4xf32>
  %greatest = stablehlo.reduce(%masked init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %of_rows = stablehlo.broadcast_in_dim %greatest, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
  %shifted = stablehlo.subtract %masked, %of_rows : tensor<3x4xf32> // FAULT
  %powers = stablehlo.exponential %shifted : tensor<3x4xf32>
  %sums = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %all_sums = stablehlo.broadcast_in_dim %sums, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
  %weights = stablehlo.divide %powers, %all_sums : tensor<3x4xf32>
  %result = stablehlo.dot_general %weights, %values, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %result : tensor<3x2xf32>
}
