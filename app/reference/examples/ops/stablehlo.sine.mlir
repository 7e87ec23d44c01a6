// title: stablehlo.sine
// description: The sine of 0, a quarter, a half and three quarters of a turn.
func.func @main() -> tensor<2x2xf32> {
  %operand = stablehlo.constant dense<[[0.0, 1.57079632], [3.14159265, 4.71238898]]> : tensor<2x2xf32>
  %result = stablehlo.sine %operand : tensor<2x2xf32>
  check.expect_almost_eq_const %result, dense<[[0.0, 1.0], [0.0, -1.0]]> : tensor<2x2xf32>
  return %result : tensor<2x2xf32>
}
