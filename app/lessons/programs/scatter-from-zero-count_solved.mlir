func.func @main(
    %words: tensor<6xi32>) -> tensor<4xi32> {
  %places = stablehlo.reshape %words
      : (tensor<6xi32>) -> tensor<6x1xi32>
  %zeros = stablehlo.constant dense<0>
      : tensor<4xi32>
  %ones = stablehlo.constant dense<1>
      : tensor<6xi32>
  %counts = "stablehlo.scatter"(%zeros, %places, %ones) <{
    scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>
  }> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    %both = stablehlo.add %old, %new : tensor<i32>
    stablehlo.return %both : tensor<i32>
  }) : (tensor<4xi32>, tensor<6x1xi32>, tensor<6xi32>)
      -> tensor<4xi32>
  return %counts : tensor<4xi32>
}
