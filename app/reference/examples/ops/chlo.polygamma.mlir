// title: chlo.polygamma
// description: Derivatives of digamma: of order 0, 1 and 2.
func.func @main() -> tensor<3xf32> {
  %lhs = stablehlo.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %rhs = stablehlo.constant dense<[2.0, 2.0, 2.0]> : tensor<3xf32>
  %result = chlo.polygamma %lhs, %rhs : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  check.expect_almost_eq_const %result, dense<[0.422784328, 0.644934058, -0.404113799]> : tensor<3xf32>
  return %result : tensor<3xf32>
}
