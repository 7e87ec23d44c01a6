// title: XLA: dot_general_batch
// description: DotGeneral of two matrices with the identity, one batch dimension and two.
func.func @main() -> (tensor<2x2x2xf32>, tensor<1x2x2x2xf32>) {
  %lhs = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  %rhs = stablehlo.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]]> : tensor<2x2x2xf32>
  %result = stablehlo.dot_general %lhs, %rhs, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %lhs4 = stablehlo.reshape %lhs : (tensor<2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %rhs4 = stablehlo.reshape %rhs : (tensor<2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %result4 = stablehlo.dot_general %lhs4, %rhs4, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  check.expect_eq_const %result, dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]> : tensor<2x2x2xf32>
  check.expect_eq_const %result4, dense<[[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]]> : tensor<1x2x2x2xf32>
  return %result, %result4 : tensor<2x2x2xf32>, tensor<1x2x2x2xf32>
}
