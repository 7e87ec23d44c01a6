// title: stablehlo.count_leading_zeros
// description: The number of zero bits before the first one bit, of 64.
func.func @main() -> tensor<2x2xi64> {
  %operand = stablehlo.constant dense<[[0, 1], [128, -1]]> : tensor<2x2xi64>
  %result = stablehlo.count_leading_zeros %operand : tensor<2x2xi64>
  check.expect_eq_const %result, dense<[[64, 63], [56, 0]]> : tensor<2x2xi64>
  return %result : tensor<2x2xi64>
}
