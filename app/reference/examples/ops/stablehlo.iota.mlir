// title: stablehlo.iota
// description: Each element is its own index along one dimension.
func.func @main() -> (tensor<4x5xi32>, tensor<4x5xi32>) {
  %rows = stablehlo.iota dim = 0 : tensor<4x5xi32>
  %columns = stablehlo.iota dim = 1 : tensor<4x5xi32>
  check.expect_eq_const %rows, dense<[[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2], [3, 3, 3, 3, 3]]> : tensor<4x5xi32>
  check.expect_eq_const %columns, dense<[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]> : tensor<4x5xi32>
  return %rows, %columns : tensor<4x5xi32>, tensor<4x5xi32>
}
