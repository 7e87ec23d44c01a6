// title: XLA: iota
// description: Iota along each dimension of a matrix, and of a vector.
func.func @main() -> (tensor<4x8xi32>, tensor<4x8xi32>, tensor<5xi32>) {
  %rows = stablehlo.iota dim = 0 : tensor<4x8xi32>
  %columns = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %vector = stablehlo.iota dim = 0 : tensor<5xi32>
  check.expect_eq_const %rows, dense<[[0, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2, 2, 2], [3, 3, 3, 3, 3, 3, 3, 3]]> : tensor<4x8xi32>
  check.expect_eq_const %columns, dense<[[0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<4x8xi32>
  check.expect_eq_const %vector, dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  return %rows, %columns, %vector : tensor<4x8xi32>, tensor<4x8xi32>, tensor<5xi32>
}
