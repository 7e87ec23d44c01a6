// title: chlo.broadcast_complex
// description: Real parts from a column, imaginary parts from a row.
func.func @main() -> tensor<2x3xcomplex<f32>> {
  %lhs = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %rhs = stablehlo.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %result = chlo.broadcast_complex %lhs, %rhs : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xcomplex<f32>>
  check.expect_eq_const %result, dense<[[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)], [(2.0, 1.0), (2.0, 2.0), (2.0, 3.0)]]> : tensor<2x3xcomplex<f32>>
  return %result : tensor<2x3xcomplex<f32>>
}
