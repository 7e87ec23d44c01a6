// title: chlo.lgamma
// description: The logarithm of the gamma function; at 5 that of 4! = 24.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[0.5, 1.0, 2.0, 5.0]> : tensor<4xf32>
  %result = chlo.lgamma %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[0.572364926, 0.0, 0.0, 3.17805386]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
