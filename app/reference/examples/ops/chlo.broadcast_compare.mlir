// title: chlo.broadcast_compare
// description: Is the element of the column less than that of the row?
func.func @main() -> tensor<2x3xi1> {
  %lhs = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %rhs = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %result = chlo.broadcast_compare %lhs, %rhs {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi1>
  check.expect_eq_const %result, dense<[[false, true, true], [false, false, true]]> : tensor<2x3xi1>
  return %result : tensor<2x3xi1>
}
