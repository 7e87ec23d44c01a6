// title: tensor.from_elements
// description: Three numbers become a vector.
func.func @main() -> tensor<3xi32> {
  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32
  %c = arith.constant 3 : i32
  %vector = tensor.from_elements %a, %b, %c : tensor<3xi32>
  check.expect_eq_const %vector, dense<[1, 2, 3]> : tensor<3xi32>
  return %vector : tensor<3xi32>
}
