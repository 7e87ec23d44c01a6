// title: stablehlo.minimum
// description: The smaller of two elements.
func.func @main() -> tensor<2x2xi32> {
  %lhs = stablehlo.constant dense<[[1, 2], [7, 8]]> : tensor<2x2xi32>
  %rhs = stablehlo.constant dense<[[5, 6], [3, 4]]> : tensor<2x2xi32>
  %result = stablehlo.minimum %lhs, %rhs : tensor<2x2xi32>
  check.expect_eq_const %result, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  return %result : tensor<2x2xi32>
}
