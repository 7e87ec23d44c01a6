// title: stablehlo.divide
// description: Floating-point quotients; the signs of the operands determine that of the result.
// The specification prints 5.66666651 for 5.7: that is the quotient of 17.
func.func @main() -> tensor<4xf32> {
  %lhs = stablehlo.constant dense<[17.1, -17.1, 17.1, -17.1]> : tensor<4xf32>
  %rhs = stablehlo.constant dense<[3.0, 3.0, -3.0, -3.0]> : tensor<4xf32>
  %result = stablehlo.divide %lhs, %rhs : tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[5.7, -5.7, -5.7, 5.7]> : tensor<4xf32>
  return %result : tensor<4xf32>
}
