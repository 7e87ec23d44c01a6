// title: stablehlo.cholesky
// description: A lower triangle whose product with its transpose is the matrix.
func.func @main() -> tensor<3x3xf64> {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [2.0, 20.0, 26.0], [3.0, 26.0, 70.0]]> : tensor<3x3xf64>
  %result = stablehlo.cholesky %a, lower = true : tensor<3x3xf64>
  check.expect_almost_eq_const %result, dense<[[1.0, 0.0, 0.0], [2.0, 4.0, 0.0], [3.0, 5.0, 6.0]]> : tensor<3x3xf64>
  return %result : tensor<3x3xf64>
}
