// title: arith.subi
// description: A negative difference.
func.func @main() -> tensor<1xi32> {
  %lhs = arith.constant 3 : i32
  %rhs = arith.constant 5 : i32
  %result = arith.subi %lhs, %rhs : i32
  %result_tensor = tensor.from_elements %result : tensor<1xi32>
  check.expect_eq_const %result_tensor, dense<[-2]> : tensor<1xi32>
  return %result_tensor : tensor<1xi32>
}
