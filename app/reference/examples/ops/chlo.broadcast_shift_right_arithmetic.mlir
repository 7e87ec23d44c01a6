// title: chlo.broadcast_shift_right_arithmetic
// description: A column shifted right by a row; the sign is kept.
func.func @main() -> tensor<2x3xi32> {
  %lhs = stablehlo.constant dense<[[8], [-8]]> : tensor<2x1xi32>
  %rhs = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %result = chlo.broadcast_shift_right_arithmetic %lhs, %rhs : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[4, 2, 1], [-4, -2, -1]]> : tensor<2x3xi32>
  return %result : tensor<2x3xi32>
}
