// title: check.expect_eq_const
// description: The computed value must equal the constant in the text.
func.func @main() -> tensor<3xi32> {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %square = stablehlo.multiply %x, %x : tensor<3xi32>
  check.expect_eq_const %square, dense<[1, 4, 9]> : tensor<3xi32>
  return %square : tensor<3xi32>
}
