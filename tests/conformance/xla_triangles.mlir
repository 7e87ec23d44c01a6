// title: XLA: triangles
// description: Cholesky and TriangularSolve read one triangle; what stands in the other does not matter.
func.func @main() -> (tensor<2x2xf32>, tensor<2x1xf32>) {
  %a = stablehlo.constant dense<[[4.0, 99.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[8.0], [9.0]]> : tensor<2x1xf32>
  %l = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
  %x = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}>
    : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_almost_eq_const %l, dense<[[2.0, 0.0], [1.0, 2.0]]> : tensor<2x2xf32>
  check.expect_almost_eq_const %x, dense<[[2.0], [1.0]]> : tensor<2x1xf32>
  return %l, %x : tensor<2x2xf32>, tensor<2x1xf32>
}
