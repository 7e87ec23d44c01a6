// title: chlo.bessel_i1e
// description: The modified Bessel function of order 1, scaled by exp(-|x|).
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 1.0, 10.0]> : tensor<4xf32>
  %result = chlo.bessel_i1e %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[-0.207910419, 0.0, 0.207910419, 0.121262684]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
