// title: chlo.broadcast_next_after
// description: The next number from each element of a column towards a row.
func.func @main() -> tensor<2x3xf32> {
  %lhs = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %rhs = stablehlo.constant dense<[[0.0, 1.0, 3.0]]> : tensor<1x3xf32>
  %result = chlo.broadcast_next_after %lhs, %rhs : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %result, dense<[[0x3F7FFFFF, 1.0, 0x3F800001], [0x3FFFFFFF, 0x3FFFFFFF, 0x40000001]]> : tensor<2x3xf32>
  return %result : tensor<2x3xf32>
}
