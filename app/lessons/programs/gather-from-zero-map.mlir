func.func @main(
    %table: tensor<4x3xi32>) -> tensor<2xi32> {
  %starts = stablehlo.constant dense<[[2, 1], [0, 2]]>
      : tensor<2x2xi32>
  %elements = "stablehlo.gather"(%table, %starts) <{
    dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0, 1],
      start_index_map = [1, 0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>
  }> : (tensor<4x3xi32>, tensor<2x2xi32>)
      -> tensor<2xi32>
  return %elements : tensor<2xi32>
}
