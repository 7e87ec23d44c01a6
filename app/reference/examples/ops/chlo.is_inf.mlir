// title: chlo.is_inf
// description: Which elements are infinite, of either sign? NaN is not infinite.
func.func @main() -> tensor<4xi1> {
  %operand = stablehlo.constant dense<[0.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %result = chlo.is_inf %operand : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %result, dense<[false, true, true, false]> : tensor<4xi1>
  return %result : tensor<4xi1>
}
