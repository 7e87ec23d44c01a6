// title: chlo.ragged_dot
// description: Rows in groups of 1 and 2, each with its own matrix; the last row is in no group.
func.func @main() -> tensor<4x2xf32> {
  %rows = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  // One matrix keeps a row, the other exchanges its elements and makes them tenfold.
  %matrices = stablehlo.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 10.0], [10.0, 0.0]]]> : tensor<2x2x2xf32>
  %group_sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %result = "chlo.ragged_dot"(%rows, %matrices, %group_sizes) <{
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]
    >
  }> : (tensor<4x2xf32>, tensor<2x2x2xf32>, tensor<2xi32>) -> tensor<4x2xf32>
  check.expect_eq_const %result, dense<[[1.0, 2.0], [40.0, 30.0], [60.0, 50.0], [0.0, 0.0]]> : tensor<4x2xf32>
  return %result : tensor<4x2xf32>
}
