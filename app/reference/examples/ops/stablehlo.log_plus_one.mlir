// title: stablehlo.log_plus_one
// description: The logarithm of 1 + x, exact near 0.
func.func @main() -> tensor<5xf64> {
  %operand = stablehlo.constant dense<[0.0, -0.999, 7.0, 6.38905621, 15.0]> : tensor<5xf64>
  %result = stablehlo.log_plus_one %operand : tensor<5xf64>
  check.expect_almost_eq_const %result, dense<[0.0, -6.90776825, 2.07944155, 2.0, 2.77258873]> : tensor<5xf64>
  return %result : tensor<5xf64>
}
