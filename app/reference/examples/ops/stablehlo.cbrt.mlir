// title: stablehlo.cbrt
// description: Cube roots.
func.func @main() -> tensor<4xf64> {
  %operand = stablehlo.constant dense<[0.0, 1.0, 8.0, 27.0]> : tensor<4xf64>
  %result = stablehlo.cbrt %operand : tensor<4xf64>
  check.expect_almost_eq_const %result, dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf64>
  return %result : tensor<4xf64>
}
