// title: shape.get_extent
// description: The second of the sizes.
func.func @main() -> tensor<1xindex> {
  %operand = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %shape = shape.shape_of %operand : tensor<2x3xf32> -> tensor<2xindex>
  %one = arith.constant 1 : index
  %columns = shape.get_extent %shape, %one : tensor<2xindex>, index -> index
  %columns_tensor = tensor.from_elements %columns : tensor<1xindex>
  check.expect_eq_const %columns_tensor, dense<[3]> : tensor<1xindex>
  return %columns_tensor : tensor<1xindex>
}
