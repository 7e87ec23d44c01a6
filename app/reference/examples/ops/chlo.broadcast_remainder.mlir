// title: chlo.broadcast_remainder
// description: Remainders of a column divided by a row.
func.func @main() -> tensor<2x3xi32> {
  %lhs = stablehlo.constant dense<[[7], [8]]> : tensor<2x1xi32>
  %rhs = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %result = chlo.broadcast_remainder %lhs, %rhs : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[0, 1, 1], [0, 0, 2]]> : tensor<2x3xi32>
  return %result : tensor<2x3xi32>
}
