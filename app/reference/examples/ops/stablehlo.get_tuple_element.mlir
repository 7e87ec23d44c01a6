// title: stablehlo.get_tuple_element
// description: The first element of a tuple that contains another tuple.
func.func @main() -> tensor<2xf64> {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %y = stablehlo.constant dense<3> : tensor<i64>
  %inner = stablehlo.tuple %y : tuple<tensor<i64>>
  %operand = stablehlo.tuple %x, %inner : tuple<tensor<2xf64>, tuple<tensor<i64>>>
  %result = stablehlo.get_tuple_element %operand[0] : (tuple<tensor<2xf64>, tuple<tensor<i64>>>) -> tensor<2xf64>
  check.expect_eq_const %result, dense<[1.0, 2.0]> : tensor<2xf64>
  return %result : tensor<2xf64>
}
