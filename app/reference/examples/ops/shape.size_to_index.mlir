// title: shape.size_to_index
// description: The number of elements, first as a size and then as an index.
func.func @main() -> tensor<1xindex> {
  %operand = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %shape = shape.shape_of %operand : tensor<2x3xf32> -> !shape.shape
  %size = shape.num_elements %shape : !shape.shape -> !shape.size
  %index = shape.size_to_index %size : !shape.size
  %index_tensor = tensor.from_elements %index : tensor<1xindex>
  check.expect_eq_const %index_tensor, dense<[6]> : tensor<1xindex>
  return %index_tensor : tensor<1xindex>
}
