// title: stablehlo.torch_index_select
// description: Rows by their indices, which may repeat.
func.func @main() -> tensor<2x2xi32> {
  %operand = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %index = stablehlo.constant dense<[2, 0]> : tensor<2xi64>
  %result = "stablehlo.torch_index_select"(%operand, %index) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<3x2xi32>, tensor<2xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %result, dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>
  return %result : tensor<2x2xi32>
}
