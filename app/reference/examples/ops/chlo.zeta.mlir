// title: chlo.zeta
// description: Sums of 1 / (k + q)^x over all k: with q = 1 Riemann's zeta function.
func.func @main() -> tensor<3xf32> {
  %lhs = stablehlo.constant dense<[2.0, 4.0, 2.0]> : tensor<3xf32>
  %rhs = stablehlo.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %result = chlo.zeta %lhs, %rhs : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  check.expect_almost_eq_const %result, dense<[1.64493406, 1.08232319, 0.644934058]> : tensor<3xf32>
  return %result : tensor<3xf32>
}
