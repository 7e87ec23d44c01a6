// title: chlo.erf_inv
// description: The number whose error function this is.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-0.5, 0.0, 0.5, 0.899999976]> : tensor<4xf32>
  %result = chlo.erf_inv %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[-0.476936281, 0.0, 0.476936281, 1.16308713]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
