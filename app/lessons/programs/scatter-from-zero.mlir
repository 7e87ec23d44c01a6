func.func @main(
    %input: tensor<5xi32>,
    %updates: tensor<2xi32>) -> tensor<5xi32> {
  %places = stablehlo.constant dense<[[3], [1]]>
      : tensor<2x1xi32>
  %result = "stablehlo.scatter"(%input, %places, %updates) <{
    scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>
  }> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    stablehlo.return %new : tensor<i32>
  }) : (tensor<5xi32>, tensor<2x1xi32>, tensor<2xi32>)
      -> tensor<5xi32>
  return %result : tensor<5xi32>
}
