// vmap(pick, in_axes=(0, None), out_axes=1): the batch comes last.
func.func @main(%rows: tensor<3x4xi32>, %places: tensor<2x1xi32>) -> tensor<2x3xi32> {
  %picked = "stablehlo.gather"(%rows, %places) <{
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [1],
      start_index_map = [1],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 3, 1>
  }> : (tensor<3x4xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  return %picked : tensor<2x3xi32>
}
