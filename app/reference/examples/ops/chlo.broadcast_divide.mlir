// title: chlo.broadcast_divide
// description: A column by a row: a table of quotients.
func.func @main() -> tensor<2x3xf32> {
  %lhs = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %rhs = stablehlo.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %result = chlo.broadcast_divide %lhs, %rhs : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %result, dense<[[1.0, 0.5, 0.333333343], [2.0, 1.0, 0.666666687]]> : tensor<2x3xf32>
  return %result : tensor<2x3xf32>
}
