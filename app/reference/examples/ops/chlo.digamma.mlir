// title: chlo.digamma
// description: The derivative of lgamma.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[0.5, 1.0, 2.0, 5.0]> : tensor<4xf32>
  %result = chlo.digamma %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[-1.96351004, -0.577215672, 0.422784328, 1.5061177]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
