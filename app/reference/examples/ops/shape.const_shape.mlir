// title: shape.const_shape
// description: A constant shape.
func.func @main() -> tensor<2xindex> {
  %shape = shape.const_shape [4, 5] : tensor<2xindex>
  check.expect_eq_const %shape, dense<[4, 5]> : tensor<2xindex>
  return %shape : tensor<2xindex>
}
