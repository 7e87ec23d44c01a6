// title: shape.cstr_broadcastable
// description: A promise that two shapes broadcast, for the ops that need it.
func.func @main() -> tensor<2xindex> {
  %column = shape.const_shape [4, 1] : tensor<2xindex>
  %row = shape.const_shape [3] : tensor<1xindex>
  %witness = shape.cstr_broadcastable %column, %row : tensor<2xindex>, tensor<1xindex>
  %shape = shape.assuming %witness -> (tensor<2xindex>) {
    %broadcast = shape.broadcast %column, %row : tensor<2xindex>, tensor<1xindex> -> tensor<2xindex>
    shape.assuming_yield %broadcast : tensor<2xindex>
  }
  check.expect_eq_const %shape, dense<[4, 3]> : tensor<2xindex>
  return %shape : tensor<2xindex>
}
