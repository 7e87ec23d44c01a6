// title: XLA: broadcasting
// description: What the builder's implicit broadcasting writes out: a row to a matrix, a scalar, a column to a row.
func.func @main() -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<4x2xi32>) {
  %m = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %row = stablehlo.constant dense<[7, 8, 9]> : tensor<3xi32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %column = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %pair = stablehlo.constant dense<[[5, 6]]> : tensor<1x2xi32>
  %rows = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %a = stablehlo.add %m, %rows : tensor<2x3xi32>
  %sevens = stablehlo.broadcast_in_dim %seven, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
  %b = stablehlo.add %m, %sevens : tensor<2x3xi32>
  %columns = stablehlo.broadcast_in_dim %column, dims = [0] : (tensor<4xi32>) -> tensor<4x2xi32>
  %pairs = stablehlo.broadcast_in_dim %pair, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<4x2xi32>
  %c = stablehlo.add %columns, %pairs : tensor<4x2xi32>
  check.expect_eq_const %a, dense<[[8, 10, 12], [11, 13, 15]]> : tensor<2x3xi32>
  check.expect_eq_const %b, dense<[[8, 9, 10], [11, 12, 13]]> : tensor<2x3xi32>
  check.expect_eq_const %c, dense<[[6, 7], [7, 8], [8, 9], [9, 10]]> : tensor<4x2xi32>
  return %a, %b, %c : tensor<2x3xi32>, tensor<2x3xi32>, tensor<4x2xi32>
}
