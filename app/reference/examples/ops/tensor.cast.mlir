// title: tensor.cast
// description: The sizes become dynamic and then static again; the elements do not change.
func.func @main() -> tensor<2x3xi32> {
  %operand = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %open = tensor.cast %operand : tensor<2x3xi32> to tensor<?x?xi32>
  %closed = tensor.cast %open : tensor<?x?xi32> to tensor<2x3xi32>
  check.expect_eq_const %closed, dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  return %closed : tensor<2x3xi32>
}
