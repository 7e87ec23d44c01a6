// title: chlo.broadcast_select
// description: One predicate for all elements selects the row, not the column.
func.func @main() -> tensor<2x3xi32> {
  %pred = stablehlo.constant dense<false> : tensor<i1>
  %on_true = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %on_false = stablehlo.constant dense<[[7, 8, 9]]> : tensor<1x3xi32>
  %result = chlo.broadcast_select %pred, %on_true, %on_false : (tensor<i1>, tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %result, dense<[[7, 8, 9], [7, 8, 9]]> : tensor<2x3xi32>
  return %result : tensor<2x3xi32>
}
