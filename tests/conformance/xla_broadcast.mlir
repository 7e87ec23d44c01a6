// title: XLA: broadcast
// description: Broadcast of a scalar, and the dimensions that are put in front of those of an array.
func.func @main() -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %row = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %full = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %rows = stablehlo.broadcast %row, sizes = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %full, dense<2.0> : tensor<2x3xf32>
  check.expect_eq_const %rows, dense<[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>
  return %full, %rows : tensor<2x3xf32>, tensor<2x3xf32>
}
