// title: stablehlo.popcnt
// description: The number of set bits.
func.func @main() -> tensor<4xi64> {
  %operand = stablehlo.constant dense<[0, 1, 2, 127]> : tensor<4xi64>
  %result = stablehlo.popcnt %operand : tensor<4xi64>
  check.expect_eq_const %result, dense<[0, 1, 1, 7]> : tensor<4xi64>
  return %result : tensor<4xi64>
}
