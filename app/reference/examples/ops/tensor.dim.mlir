// title: tensor.dim
// description: The number of columns.
func.func @main() -> tensor<1xindex> {
  %operand = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %one = arith.constant 1 : index
  %columns = tensor.dim %operand, %one : tensor<2x3xf32>
  %columns_tensor = tensor.from_elements %columns : tensor<1xindex>
  check.expect_eq_const %columns_tensor, dense<[3]> : tensor<1xindex>
  return %columns_tensor : tensor<1xindex>
}
