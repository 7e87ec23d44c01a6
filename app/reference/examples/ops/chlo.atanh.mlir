// title: chlo.atanh
// description: The number whose hyperbolic tangent this is.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-0.5, 0.0, 0.5, 0.75]> : tensor<4xf32>
  %result = chlo.atanh %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[-0.549306154, 0.0, 0.549306154, 0.972955048]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
