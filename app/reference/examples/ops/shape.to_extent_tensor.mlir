// title: shape.to_extent_tensor
// description: A shape as a tensor that other ops take.
func.func @main() -> tensor<2xindex> {
  %operand = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %shape = shape.shape_of %operand : tensor<2x3xf32> -> !shape.shape
  %extents = shape.to_extent_tensor %shape : !shape.shape -> tensor<2xindex>
  check.expect_eq_const %extents, dense<[2, 3]> : tensor<2xindex>
  return %extents : tensor<2xindex>
}
