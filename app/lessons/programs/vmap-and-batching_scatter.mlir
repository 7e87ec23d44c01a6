// vmap(lambda row, place, value: row.at[place].add(value)):
// three rows, and for each a place and a value.
func.func @main(%rows: tensor<3x4xi32>, %places: tensor<3x1xi32>, %values: tensor<3xi32>) -> tensor<3x4xi32> {
  %added = "stablehlo.scatter"(%rows, %places, %values) <{
    scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [1],
      input_batching_dims = [0],
      scatter_indices_batching_dims = [0],
      scatter_dims_to_operand_dims = [1],
      index_vector_dim = 1>
  }> ({
    ^bb0(%old: tensor<i32>, %new: tensor<i32>):
      %sum = stablehlo.add %old, %new : tensor<i32>
      stablehlo.return %sum : tensor<i32>
  }) : (tensor<3x4xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3x4xi32>
  return %added : tensor<3x4xi32>
}
