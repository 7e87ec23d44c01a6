// title: arith.minsi
// description: The smaller of two signed integers.
func.func @main() -> tensor<1xi32> {
  %lhs = arith.constant -1 : i32
  %rhs = arith.constant 1 : i32
  %result = arith.minsi %lhs, %rhs : i32
  %result_tensor = tensor.from_elements %result : tensor<1xi32>
  check.expect_eq_const %result_tensor, dense<[-1]> : tensor<1xi32>
  return %result_tensor : tensor<1xi32>
}
