// title: chlo.atan
// description: The angle that has this tangent.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 0.5, 1.0]> : tensor<4xf32>
  %result = chlo.atan %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[-0.785398185, 0.0, 0.463647604, 0.785398185]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
