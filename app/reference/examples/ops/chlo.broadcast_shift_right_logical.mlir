// title: chlo.broadcast_shift_right_logical
// description: A column shifted right by a row; zeros fill the gap.
func.func @main() -> tensor<2x3xi32> {
  %lhs = stablehlo.constant dense<[[8], [16]]> : tensor<2x1xi32>
  %rhs = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %result = chlo.broadcast_shift_right_logical %lhs, %rhs : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[4, 2, 1], [8, 4, 2]]> : tensor<2x3xi32>
  return %result : tensor<2x3xi32>
}
