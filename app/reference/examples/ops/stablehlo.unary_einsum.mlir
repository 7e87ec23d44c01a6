// title: stablehlo.unary_einsum
// description: A letter that the result lacks is summed over.
func.func @main() -> tensor<2xi32> {
  %operand = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %result = "stablehlo.unary_einsum"(%operand) <{einsum_config = "ij->i"}> : (tensor<2x3xi32>) -> tensor<2xi32>
  check.expect_eq_const %result, dense<[6, 15]> : tensor<2xi32>
  return %result : tensor<2xi32>
}
