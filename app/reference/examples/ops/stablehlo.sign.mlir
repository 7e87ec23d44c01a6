// title: stablehlo.sign
// description: NaN, -1, -0, 0 and 1: each is its own sign.
func.func @main() -> tensor<5xf64> {
  %operand = stablehlo.constant dense<[0x7FFFFFFFFFFFFFFF, -1.0, -0.0, 0.0, 1.0]> : tensor<5xf64>
  %result = stablehlo.sign %operand : tensor<5xf64>
  check.expect_almost_eq_const %result, dense<[0x7FFFFFFFFFFFFFFF, -1.0, -0.0, 0.0, 1.0]> : tensor<5xf64>
  return %result : tensor<5xf64>
}
