// title: XLA: dynamic_slice
// description: DynamicSlice of a vector and of a matrix.
func.func @main() -> (tensor<2xi32>, tensor<2x2xi32>) {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %b = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]> : tensor<4x3xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %vector = stablehlo.dynamic_slice %a, %two, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
  %matrix = stablehlo.dynamic_slice %b, %two, %one, sizes = [2, 2] : (tensor<4x3xi32>, tensor<i32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %vector, dense<[2, 3]> : tensor<2xi32>
  check.expect_eq_const %matrix, dense<[[7, 8], [10, 11]]> : tensor<2x2xi32>
  return %vector, %matrix : tensor<2xi32>, tensor<2x2xi32>
}
