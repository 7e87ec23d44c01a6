// title: chlo.erfc
// description: The rest of the bell curve beyond x: 1 - erf(x), accurate even where that is tiny.
func.func @main() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 0.5, 2.0]> : tensor<4xf32>
  %result = chlo.erfc %operand : tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[1.84270084, 1.0, 0.479500115, 0.0046777348]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
