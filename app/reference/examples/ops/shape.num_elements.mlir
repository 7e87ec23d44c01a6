// title: shape.num_elements
// description: Two rows of three elements are six elements.
func.func @main() -> tensor<1xindex> {
  %operand = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %shape = shape.shape_of %operand : tensor<2x3xf32> -> tensor<2xindex>
  %count = shape.num_elements %shape : tensor<2xindex> -> index
  %count_tensor = tensor.from_elements %count : tensor<1xindex>
  check.expect_eq_const %count_tensor, dense<[6]> : tensor<1xindex>
  return %count_tensor : tensor<1xindex>
}
