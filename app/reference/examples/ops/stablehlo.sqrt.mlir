// title: stablehlo.sqrt
// description: Square roots.
func.func @main() -> tensor<2x2xf32> {
  %operand = stablehlo.constant dense<[[0.0, 1.0], [4.0, 9.0]]> : tensor<2x2xf32>
  %result = stablehlo.sqrt %operand : tensor<2x2xf32>
  check.expect_almost_eq_const %result, dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>
  return %result : tensor<2x2xf32>
}
