// title: chlo.asinh
// description: The number whose hyperbolic sine this is.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 1.0, 10.0]> : tensor<4xf32>
  %result = chlo.asinh %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[-0.881373584, 0.0, 0.881373584, 2.99822307]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
