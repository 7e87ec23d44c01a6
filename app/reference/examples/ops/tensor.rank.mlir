// title: tensor.rank
// description: The number of dimensions.
func.func @main() -> tensor<1xindex> {
  %operand = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %rank = tensor.rank %operand : tensor<2x3xf32>
  %rank_tensor = tensor.from_elements %rank : tensor<1xindex>
  check.expect_eq_const %rank_tensor, dense<[2]> : tensor<1xindex>
  return %rank_tensor : tensor<1xindex>
}
