// title: arith.divsi
// description: The quotient is rounded towards 0.
func.func @main() -> tensor<1xi32> {
  %lhs = arith.constant -7 : i32
  %rhs = arith.constant 2 : i32
  %result = arith.divsi %lhs, %rhs : i32
  %result_tensor = tensor.from_elements %result : tensor<1xi32>
  check.expect_eq_const %result_tensor, dense<[-3]> : tensor<1xi32>
  return %result_tensor : tensor<1xi32>
}
