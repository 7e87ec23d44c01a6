func.func @main(
    %table: tensor<4x3xi32>)
    -> (tensor<2x3xi32>, tensor<2x2x3xi32>) {
  %starts = stablehlo.constant dense<[[9], [-1]]>
      : tensor<2x1xi32>
  %rows = "stablehlo.gather"(%table, %starts) <{
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>
  }> : (tensor<4x3xi32>, tensor<2x1xi32>)
      -> tensor<2x3xi32>
  %pair_starts = stablehlo.constant dense<[[3], [1]]>
      : tensor<2x1xi32>
  %pairs = "stablehlo.gather"(%table, %pair_starts) <{
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1, 2],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 2, 3>
  }> : (tensor<4x3xi32>, tensor<2x1xi32>)
      -> tensor<2x2x3xi32>
  return %rows, %pairs
    : tensor<2x3xi32>, tensor<2x2x3xi32>
}
