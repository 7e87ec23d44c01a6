// title: chlo.broadcast_and
// description: Bits that are set in both a column and a row.
func.func @main() -> tensor<2x3xi32> {
  %lhs = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %rhs = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %result = chlo.broadcast_and %lhs, %rhs : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[1, 0, 1], [0, 2, 2]]> : tensor<2x3xi32>
  return %result : tensor<2x3xi32>
}
