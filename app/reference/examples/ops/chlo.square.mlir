// title: chlo.square
// description: The square of each element.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-2.0, 0.0, 0.5, 3.0]> : tensor<4xf32>
  %result = chlo.square %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[4.0, 0.0, 0.25, 9.0]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
