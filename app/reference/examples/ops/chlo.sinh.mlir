// title: chlo.sinh
// description: Hyperbolic sines.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 1.0, 2.0]> : tensor<4xf32>
  %result = chlo.sinh %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[-1.17520118, 0.0, 1.17520118, 3.62686038]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
