// title: shape.const_size
// description: A constant size, as an index.
func.func @main() -> tensor<1xindex> {
  %size = shape.const_size 4
  %index = shape.size_to_index %size : !shape.size
  %index_tensor = tensor.from_elements %index : tensor<1xindex>
  check.expect_eq_const %index_tensor, dense<[4]> : tensor<1xindex>
  return %index_tensor : tensor<1xindex>
}
