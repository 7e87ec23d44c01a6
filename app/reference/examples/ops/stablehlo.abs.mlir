// title: stablehlo.abs
// description: The distance from zero, without the sign.
func.func @main() -> tensor<3xi32> {
  %operand = stablehlo.constant dense<[-2, 0, 2]> : tensor<3xi32>
  %result = stablehlo.abs %operand : tensor<3xi32>
  check.expect_eq_const %result, dense<[2, 0, 2]> : tensor<3xi32>
  return %result : tensor<3xi32>
}
