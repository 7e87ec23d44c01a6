// title: arith.index_cast
// description: An index as a 64-bit integer.
func.func @main() -> tensor<1xi64> {
  %index = arith.constant 5 : index
  %number = arith.index_cast %index : index to i64
  %number_tensor = tensor.from_elements %number : tensor<1xi64>
  check.expect_eq_const %number_tensor, dense<[5]> : tensor<1xi64>
  return %number_tensor : tensor<1xi64>
}
