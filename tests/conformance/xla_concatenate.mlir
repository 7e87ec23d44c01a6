// title: XLA: concatenate
// description: ConcatInDim of vectors and of matrices.
func.func @main() -> (tensor<6xi32>, tensor<4x2xi32>) {
  %a = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %b = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
  %c = stablehlo.constant dense<[6, 7]> : tensor<2xi32>
  %m = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %n = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi32>
  %vector = stablehlo.concatenate %a, %b, %c, dim = 0 : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<6xi32>
  %matrix = stablehlo.concatenate %m, %n, dim = 0 : (tensor<3x2xi32>, tensor<1x2xi32>) -> tensor<4x2xi32>
  check.expect_eq_const %vector, dense<[2, 3, 4, 5, 6, 7]> : tensor<6xi32>
  check.expect_eq_const %matrix, dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32>
  return %vector, %matrix : tensor<6xi32>, tensor<4x2xi32>
}
