// title: XLA: dot_general_contracting
// description: DotGeneral over dimension 1 of both operands.
func.func @main() -> tensor<2x2xf32> {
  %lhs = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %rhs = stablehlo.constant dense<[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]> : tensor<2x3xf32>
  %result = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %result, dense<[[6.0, 12.0], [15.0, 30.0]]> : tensor<2x2xf32>
  return %result : tensor<2x2xf32>
}
