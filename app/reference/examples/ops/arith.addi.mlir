// title: arith.addi
// description: The largest 32-bit integer plus 1 wraps to the smallest.
func.func @main() -> tensor<1xi32> {
  %lhs = arith.constant 2147483647 : i32
  %rhs = arith.constant 1 : i32
  %result = arith.addi %lhs, %rhs : i32
  %result_tensor = tensor.from_elements %result : tensor<1xi32>
  check.expect_eq_const %result_tensor, dense<[-2147483648]> : tensor<1xi32>
  return %result_tensor : tensor<1xi32>
}
