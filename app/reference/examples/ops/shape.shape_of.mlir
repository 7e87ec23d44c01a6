// title: shape.shape_of
// description: The sizes of a tensor as a tensor.
func.func @main() -> tensor<2xindex> {
  %operand = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %shape = shape.shape_of %operand : tensor<2x3xf32> -> tensor<2xindex>
  check.expect_eq_const %shape, dense<[2, 3]> : tensor<2xindex>
  return %shape : tensor<2xindex>
}
