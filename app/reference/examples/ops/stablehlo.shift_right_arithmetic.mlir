// title: stablehlo.shift_right_arithmetic
// description: Bits shifted right; the sign bit fills the gap.
func.func @main() -> tensor<3xi64> {
  %lhs = stablehlo.constant dense<[-1, 0, 8]> : tensor<3xi64>
  %rhs = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi64>
  %result = stablehlo.shift_right_arithmetic %lhs, %rhs : tensor<3xi64>
  check.expect_eq_const %result, dense<[-1, 0, 1]> : tensor<3xi64>
  return %result : tensor<3xi64>
}
