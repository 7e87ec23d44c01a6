// title: stablehlo.dot
// description: The product of two matrices.
func.func @main() -> tensor<2x2xi32> {
  %lhs = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %rhs = stablehlo.constant dense<[[1, 0], [0, 1], [1, 1]]> : tensor<3x2xi32>
  %result = stablehlo.dot %lhs, %rhs : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %result, dense<[[4, 5], [10, 11]]> : tensor<2x2xi32>
  return %result : tensor<2x2xi32>
}
