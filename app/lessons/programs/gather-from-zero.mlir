func.func @main(
    %table: tensor<4x3xi32>,
    %starts: tensor<2x2xi32>)
    -> tensor<2x2x2xi32> {
  %windows = "stablehlo.gather"(%table, %starts) <{
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1, 2],
      start_index_map = [0, 1],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 2, 2>
  }> : (tensor<4x3xi32>, tensor<2x2xi32>)
      -> tensor<2x2x2xi32>
  return %windows : tensor<2x2x2xi32>
}
