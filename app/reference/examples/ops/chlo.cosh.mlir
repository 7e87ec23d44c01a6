// title: chlo.cosh
// description: Hyperbolic cosines.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 1.0, 2.0]> : tensor<4xf32>
  %result = chlo.cosh %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[1.54308069, 1.0, 1.54308069, 3.76219559]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
