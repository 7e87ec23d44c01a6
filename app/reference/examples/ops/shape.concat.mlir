// title: shape.concat
// description: The concatenation of two shapes.
func.func @main() -> tensor<3xindex> {
  %lhs = shape.const_shape [2, 3] : tensor<2xindex>
  %rhs = shape.const_shape [4] : tensor<1xindex>
  %shape = shape.concat %lhs, %rhs : tensor<2xindex>, tensor<1xindex> -> tensor<3xindex>
  check.expect_eq_const %shape, dense<[2, 3, 4]> : tensor<3xindex>
  return %shape : tensor<3xindex>
}
