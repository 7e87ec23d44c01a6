// title: tensor.extract
// description: The element in row 1 and column 2.
func.func @main() -> tensor<1xi32> {
  %operand = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %row = arith.constant 1 : index
  %column = arith.constant 2 : index
  %element = tensor.extract %operand[%row, %column] : tensor<2x3xi32>
  %element_tensor = tensor.from_elements %element : tensor<1xi32>
  check.expect_eq_const %element_tensor, dense<[6]> : tensor<1xi32>
  return %element_tensor : tensor<1xi32>
}
