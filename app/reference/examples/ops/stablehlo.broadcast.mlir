// title: stablehlo.broadcast
// description: New leading dimensions, along which everything repeats.
func.func @main() -> tensor<2x3xi32> {
  %operand = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %result = stablehlo.broadcast %operand, sizes = [2] : (tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[1, 2, 3], [1, 2, 3]]> : tensor<2x3xi32>
  return %result : tensor<2x3xi32>
}
