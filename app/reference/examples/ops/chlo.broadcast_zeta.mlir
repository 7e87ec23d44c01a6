// title: chlo.broadcast_zeta
// description: Exponents in a column, offsets in a row.
func.func @main() -> tensor<2x3xf32> {
  %lhs = stablehlo.constant dense<[[2.0], [3.0]]> : tensor<2x1xf32>
  %rhs = stablehlo.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %result = chlo.broadcast_zeta %lhs, %rhs : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %result, dense<[[1.64493406, 0.644934058, 0.394934058], [1.20205688, 0.2020569, 0.0770568997]]> : tensor<2x3xf32>
  return %result : tensor<2x3xf32>
}
