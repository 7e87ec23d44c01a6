// title: arith.constant
// description: An index constant and a 32-bit constant.
func.func @main() -> (tensor<1xindex>, tensor<1xi32>) {
  %index = arith.constant 4 : index
  %number = arith.constant -7 : i32
  %index_tensor = tensor.from_elements %index : tensor<1xindex>
  %number_tensor = tensor.from_elements %number : tensor<1xi32>
  check.expect_eq_const %index_tensor, dense<[4]> : tensor<1xindex>
  check.expect_eq_const %number_tensor, dense<[-7]> : tensor<1xi32>
  return %index_tensor, %number_tensor : tensor<1xindex>, tensor<1xi32>
}
