// title: chlo.broadcast_power
// description: A column to the powers of a row.
func.func @main() -> tensor<2x3xi32> {
  %lhs = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %rhs = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %result = chlo.broadcast_power %lhs, %rhs : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[1, 1, 1], [2, 4, 8]]> : tensor<2x3xi32>
  return %result : tensor<2x3xi32>
}
