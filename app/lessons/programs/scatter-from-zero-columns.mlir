func.func @main(
    %table: tensor<4x3xi32>,
    %updates: tensor<4x2xi32>)
    -> tensor<4x3xi32> {
  %places = stablehlo.constant dense<[[2], [0]]>
      : tensor<2x1xi32>
  %result = "stablehlo.scatter"(%table, %places, %updates) <{
    scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [0],
      inserted_window_dims = [1],
      scatter_dims_to_operand_dims = [1],
      index_vector_dim = 1>
  }> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    stablehlo.return %new : tensor<i32>
  }) : (tensor<4x3xi32>, tensor<2x1xi32>, tensor<4x2xi32>)
      -> tensor<4x3xi32>
  return %result : tensor<4x3xi32>
}
