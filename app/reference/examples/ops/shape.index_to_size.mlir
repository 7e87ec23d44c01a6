// title: shape.index_to_size
// description: The conversion and its inverse.
func.func @main() -> tensor<1xindex> {
  %index = arith.constant 7 : index
  %size = shape.index_to_size %index
  %again = shape.size_to_index %size : !shape.size
  %again_tensor = tensor.from_elements %again : tensor<1xindex>
  check.expect_eq_const %again_tensor, dense<[7]> : tensor<1xindex>
  return %again_tensor : tensor<1xindex>
}
