// title: XLA: dynamic_update_slice
// description: DynamicUpdateSlice of a vector and of a matrix.
func.func @main() -> (tensor<5xi32>, tensor<4x3xi32>) {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %u = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
  %b = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]> : tensor<4x3xi32>
  %w = stablehlo.constant dense<[[12, 13], [14, 15], [16, 17]]> : tensor<3x2xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %vector = stablehlo.dynamic_update_slice %a, %u, %two : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
  %matrix = stablehlo.dynamic_update_slice %b, %w, %one, %one : (tensor<4x3xi32>, tensor<3x2xi32>, tensor<i32>, tensor<i32>) -> tensor<4x3xi32>
  check.expect_eq_const %vector, dense<[0, 1, 5, 6, 4]> : tensor<5xi32>
  check.expect_eq_const %matrix, dense<[[0, 1, 2], [3, 12, 13], [6, 14, 15], [9, 16, 17]]> : tensor<4x3xi32>
  return %vector, %matrix : tensor<5xi32>, tensor<4x3xi32>
}
