// title: shape.broadcast
// description: A column of 4 and a row of 3 broadcast to 4 rows of 3.
func.func @main() -> tensor<2xindex> {
  %column = shape.const_shape [4, 1] : tensor<2xindex>
  %row = shape.const_shape [3] : tensor<1xindex>
  %shape = shape.broadcast %column, %row : tensor<2xindex>, tensor<1xindex> -> tensor<2xindex>
  check.expect_eq_const %shape, dense<[4, 3]> : tensor<2xindex>
  return %shape : tensor<2xindex>
}
