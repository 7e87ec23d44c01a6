// title: arith.select
// description: The condition is true, so the result is the first value.
func.func @main() -> tensor<1xi32> {
  %condition = arith.constant true
  %first = arith.constant 10 : i32
  %second = arith.constant 20 : i32
  %result = arith.select %condition, %first, %second : i32
  %result_tensor = tensor.from_elements %result : tensor<1xi32>
  check.expect_eq_const %result_tensor, dense<[10]> : tensor<1xi32>
  return %result_tensor : tensor<1xi32>
}
