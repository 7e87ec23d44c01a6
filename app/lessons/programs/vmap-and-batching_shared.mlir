// vmap(pick, in_axes=(0, None)): three rows, the same places for all.
func.func @main(%rows: tensor<3x4xi32>, %places: tensor<2x1xi32>) -> tensor<3x2xi32> {
  %picked = "stablehlo.gather"(%rows, %places) <{
    dimension_numbers = #stablehlo.gather<
      offset_dims = [0],
      collapsed_slice_dims = [1],
      start_index_map = [1],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 3, 1>
  }> : (tensor<3x4xi32>, tensor<2x1xi32>) -> tensor<3x2xi32>
  return %picked : tensor<3x2xi32>
}
