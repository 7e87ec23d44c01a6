// title: chlo.broadcast_or
// description: Bits that are set in a column or a row.
func.func @main() -> tensor<2x3xi32> {
  %lhs = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %rhs = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %result = chlo.broadcast_or %lhs, %rhs : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[1, 3, 3], [3, 2, 3]]> : tensor<2x3xi32>
  return %result : tensor<2x3xi32>
}
