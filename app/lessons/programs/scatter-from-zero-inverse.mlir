func.func @main(
    %v: tensor<3xi32>)
    -> (tensor<3xi32>, tensor<3xi32>) {
  %order = stablehlo.constant dense<[[2], [0], [1]]>
      : tensor<3x1xi32>
  %gathered = "stablehlo.gather"(%v, %order) <{
    dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1>
  }> : (tensor<3xi32>, tensor<3x1xi32>)
      -> tensor<3xi32>
  %zeros = stablehlo.constant dense<0>
      : tensor<3xi32>
  %scattered = "stablehlo.scatter"(%zeros, %order, %v) <{
    scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>
  }> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    stablehlo.return %new : tensor<i32>
  }) : (tensor<3xi32>, tensor<3x1xi32>, tensor<3xi32>)
      -> tensor<3xi32>
  return %gathered, %scattered
    : tensor<3xi32>, tensor<3xi32>
}
