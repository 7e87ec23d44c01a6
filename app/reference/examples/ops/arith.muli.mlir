// title: arith.muli
// description: A product.
func.func @main() -> tensor<1xindex> {
  %lhs = arith.constant 6 : index
  %rhs = arith.constant 7 : index
  %result = arith.muli %lhs, %rhs : index
  %result_tensor = tensor.from_elements %result : tensor<1xindex>
  check.expect_eq_const %result_tensor, dense<[42]> : tensor<1xindex>
  return %result_tensor : tensor<1xindex>
}
