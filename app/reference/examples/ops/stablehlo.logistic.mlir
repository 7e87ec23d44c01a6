// title: stablehlo.logistic
// description: Each number mapped to the range between 0 and 1: 1 / (1 + exp(-x)).
func.func @main() -> tensor<2x2xf64> {
  %operand = stablehlo.constant dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf64>
  %result = stablehlo.logistic %operand : tensor<2x2xf64>
  check.expect_almost_eq_const %result, dense<[[0.5, 0.73105858], [0.88079708, 0.95257413]]> : tensor<2x2xf64>
  return %result : tensor<2x2xf64>
}
