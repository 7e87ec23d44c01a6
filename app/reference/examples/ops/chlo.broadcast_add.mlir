// title: chlo.broadcast_add
// description: A column and a row make a table of sums.
func.func @main() -> tensor<2x3xi32> {
  %lhs = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %rhs = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %result = chlo.broadcast_add %lhs, %rhs : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[2, 3, 4], [3, 4, 5]]> : tensor<2x3xi32>
  return %result : tensor<2x3xi32>
}
