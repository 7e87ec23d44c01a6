// title: chlo.broadcast_atan2
// description: Angles of all points of a grid.
func.func @main() -> tensor<2x3xf32> {
  %lhs = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %rhs = stablehlo.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %result = chlo.broadcast_atan2 %lhs, %rhs : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %result, dense<[[0.785398185, 0.463647604, 0.321750551], [1.10714877, 0.785398185, 0.588002622]]> : tensor<2x3xf32>
  return %result : tensor<2x3xf32>
}
