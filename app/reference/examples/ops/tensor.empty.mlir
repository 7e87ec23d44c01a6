// title: tensor.empty
// description: A tensor with undefined elements; its shape, 4 rows of 3, is known.
func.func @main() -> tensor<2xindex> {
  %rows = arith.constant 4 : index
  %empty = tensor.empty(%rows) : tensor<?x3xf32>
  %shape = shape.shape_of %empty : tensor<?x3xf32> -> tensor<2xindex>
  check.expect_eq_const %shape, dense<[4, 3]> : tensor<2xindex>
  return %shape : tensor<2xindex>
}
