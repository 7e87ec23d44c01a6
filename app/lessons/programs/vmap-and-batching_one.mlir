// pick(row, places) = row[places], for one row.
func.func @main(%row: tensor<4xi32>, %places: tensor<2x1xi32>) -> tensor<2xi32> {
  %picked = "stablehlo.gather"(%row, %places) <{
    dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1>
  }> : (tensor<4xi32>, tensor<2x1xi32>) -> tensor<2xi32>
  return %picked : tensor<2xi32>
}
