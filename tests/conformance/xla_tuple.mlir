// title: XLA: tuple
// description: Tuple and GetTupleElement.
func.func @main() -> tensor<i32> {
  %x = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]> : tensor<10xf32>
  %s = stablehlo.constant dense<5> : tensor<i32>
  %t = stablehlo.tuple %x, %s : tuple<tensor<10xf32>, tensor<i32>>
  %one = stablehlo.get_tuple_element %t[1] : (tuple<tensor<10xf32>, tensor<i32>>) -> tensor<i32>
  check.expect_eq_const %one, dense<5> : tensor<i32>
  return %one : tensor<i32>
}
