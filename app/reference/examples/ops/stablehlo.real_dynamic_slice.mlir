// title: stablehlo.real_dynamic_slice
// description: A slice whose starts, limits and strides are values of the program: rows 1 and 2, every other column.
func.func @main() -> tensor<2x2xi64> {
  %operand = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi64>
  %start_indices = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %limit_indices = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %strides = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %result = stablehlo.real_dynamic_slice %operand, %start_indices, %limit_indices, %strides : (tensor<3x4xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xi64>
  check.expect_eq_const %result, dense<[[4, 6], [8, 10]]> : tensor<2x2xi64>
  return %result : tensor<2x2xi64>
}
