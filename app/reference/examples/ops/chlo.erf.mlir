// title: chlo.erf
// description: The error function: how much of a bell curve lies within x.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 0.5, 2.0]> : tensor<4xf32>
  %result = chlo.erf %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[-0.842700779, 0.0, 0.520499885, 0.995322287]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
