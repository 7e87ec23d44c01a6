// title: XLA: dot
// description: Dot of vectors, of a matrix and a vector, of matrices.
func.func @main() -> (tensor<i32>, tensor<2xi32>, tensor<2x2xi32>) {
  %u = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %w = stablehlo.constant dense<[4, 5, 6]> : tensor<3xi32>
  %m = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %n = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %scalar = stablehlo.dot %u, %w : (tensor<3xi32>, tensor<3xi32>) -> tensor<i32>
  %vector = stablehlo.dot %m, %w : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2xi32>
  %matrix = stablehlo.dot %m, %n : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %scalar, dense<32> : tensor<i32>
  check.expect_eq_const %vector, dense<[32, 77]> : tensor<2xi32>
  check.expect_eq_const %matrix, dense<[[22, 28], [49, 64]]> : tensor<2x2xi32>
  return %scalar, %vector, %matrix : tensor<i32>, tensor<2xi32>, tensor<2x2xi32>
}
