// title: stablehlo.tanh
// description: Hyperbolic tangents lie between -1 and 1.
func.func @main() -> tensor<3xf32> {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 1.0]> : tensor<3xf32>
  %result = stablehlo.tanh %operand : tensor<3xf32>
  check.expect_almost_eq_const %result, dense<[-0.76159416, 0.0, 0.76159416]> : tensor<3xf32>
  return %result : tensor<3xf32>
}
