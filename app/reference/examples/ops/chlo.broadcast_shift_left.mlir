// title: chlo.broadcast_shift_left
// description: A column shifted left by a row.
func.func @main() -> tensor<2x3xi32> {
  %lhs = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %rhs = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %result = chlo.broadcast_shift_left %lhs, %rhs : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[2, 4, 8], [4, 8, 16]]> : tensor<2x3xi32>
  return %result : tensor<2x3xi32>
}
