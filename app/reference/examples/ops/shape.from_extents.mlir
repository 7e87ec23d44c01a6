// title: shape.from_extents
// description: A shape made of its sizes, and the sizes of the shape.
func.func @main() -> tensor<2xindex> {
  %rows = arith.constant 2 : index
  %columns = arith.constant 3 : index
  %shape = shape.from_extents %rows, %columns : index, index
  %extents = shape.to_extent_tensor %shape : !shape.shape -> tensor<2xindex>
  check.expect_eq_const %extents, dense<[2, 3]> : tensor<2xindex>
  return %extents : tensor<2xindex>
}
