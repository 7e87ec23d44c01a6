// title: chlo.acos
// description: The angle that has this cosine.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 0.5, 1.0]> : tensor<4xf32>
  %result = chlo.acos %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[3.14159274, 1.57079637, 1.04719758, 0.0]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
