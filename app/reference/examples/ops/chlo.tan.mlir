// title: chlo.tan
// description: Tangents.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 0.5, 1.0]> : tensor<4xf32>
  %result = chlo.tan %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[-1.55740774, 0.0, 0.546302497, 1.55740774]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
