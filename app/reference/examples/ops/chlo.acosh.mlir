// title: chlo.acosh
// description: The number whose hyperbolic cosine this is.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[1.0, 1.5, 2.0, 10.0]> : tensor<4xf32>
  %result = chlo.acosh %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[0.0, 0.962423623, 1.31695795, 2.99322295]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
