// title: stablehlo.round_nearest_afz
// description: Rounded to the nearest integer; halves are rounded away from zero.
func.func @main() -> tensor<5xf64> {
  %operand = stablehlo.constant dense<[-2.5, 0.4, 0.5, 0.6, 2.5]> : tensor<5xf64>
  %result = stablehlo.round_nearest_afz %operand : tensor<5xf64>
  check.expect_eq_const %result, dense<[-3.0, 0.0, 1.0, 1.0, 3.0]> : tensor<5xf64>
  return %result : tensor<5xf64>
}
