// title: stablehlo.exponential_minus_one
// description: One less than e to the power of x; exact near 0, where the difference would not be.
func.func @main() -> tensor<2xf64> {
  %operand = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf64>
  %result = stablehlo.exponential_minus_one %operand : tensor<2xf64>
  check.expect_almost_eq_const %result, dense<[0.0, 1.71828187]> : tensor<2xf64>
  return %result : tensor<2xf64>
}
