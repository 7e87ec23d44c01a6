// title: Gather: embedding lookup
// description: Token 99 is not a row of the table; gather clamps it to the last one. The index map shows which row each result reads.
// inputs: iota; dense<[[3, 0, 7], [7, 99, 1]]>
func.func @main(%table: tensor<10x6xf32>, %tokens: tensor<2x3xi32>) -> tensor<2x3x6xf32> {
  %embedded = "stablehlo.gather"(%table, %tokens) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>,
    indices_are_sorted = false,
    slice_sizes = array<i64: 1, 6>
  }> : (tensor<10x6xf32>, tensor<2x3xi32>) -> tensor<2x3x6xf32>
  return %embedded : tensor<2x3x6xf32>
}
