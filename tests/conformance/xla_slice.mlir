// title: XLA: slice
// description: Slice of a vector and of a matrix.
func.func @main() -> (tensor<2xi32>, tensor<2x2xi32>) {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %b = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]> : tensor<4x3xi32>
  %vector = stablehlo.slice %a [2:4] : (tensor<5xi32>) -> tensor<2xi32>
  %matrix = stablehlo.slice %b [2:4, 1:3] : (tensor<4x3xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %vector, dense<[2, 3]> : tensor<2xi32>
  check.expect_eq_const %matrix, dense<[[7, 8], [10, 11]]> : tensor<2x2xi32>
  return %vector, %matrix : tensor<2xi32>, tensor<2x2xi32>
}
