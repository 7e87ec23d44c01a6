// title: chlo.asin
// description: The angle that has this sine.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 0.5, 1.0]> : tensor<4xf32>
  %result = chlo.asin %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[-1.57079637, 0.0, 0.52359879, 1.57079637]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
