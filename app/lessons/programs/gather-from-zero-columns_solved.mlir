func.func @main(
    %table: tensor<4x3xi32>) -> tensor<2x4xi32> {
  %starts = stablehlo.constant dense<[[2], [0]]>
      : tensor<2x1xi32>
  %picked = "stablehlo.gather"(%table, %starts) <{
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [1],
      start_index_map = [1],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 4, 1>
  }> : (tensor<4x3xi32>, tensor<2x1xi32>)
      -> tensor<2x4xi32>
  return %picked : tensor<2x4xi32>
}
