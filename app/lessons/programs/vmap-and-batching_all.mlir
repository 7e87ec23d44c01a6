// vmap(pick): the same for three rows, each with its own places.
func.func @main(%rows: tensor<3x4xi32>, %places: tensor<3x2x1xi32>) -> tensor<3x2xi32> {
  %picked = "stablehlo.gather"(%rows, %places) <{
    dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [1],
      operand_batching_dims = [0],
      start_indices_batching_dims = [0],
      start_index_map = [1],
      index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1>
  }> : (tensor<3x4xi32>, tensor<3x2x1xi32>) -> tensor<3x2xi32>
  return %picked : tensor<3x2xi32>
}
