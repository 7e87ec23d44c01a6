// title: stablehlo.reverse
// description: Each row in reverse order.
func.func @main() -> tensor<3x2xi32> {
  %operand = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %result = stablehlo.reverse %operand, dims = [1] : tensor<3x2xi32>
  check.expect_eq_const %result, dense<[[2, 1], [4, 3], [6, 5]]> : tensor<3x2xi32>
  return %result : tensor<3x2xi32>
}
