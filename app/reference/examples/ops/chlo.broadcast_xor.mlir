// title: chlo.broadcast_xor
// description: Bits in which a column and a row differ.
func.func @main() -> tensor<2x3xi32> {
  %lhs = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %rhs = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %result = chlo.broadcast_xor %lhs, %rhs : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[0, 3, 2], [3, 0, 1]]> : tensor<2x3xi32>
  return %result : tensor<2x3xi32>
}
