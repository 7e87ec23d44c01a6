// title: Scatter: a histogram
// description: Every sample adds one to its bin; the body of scatter determines what happens when several samples have the same bin.
// inputs: uniform
func.func @main(%samples: tensor<64xi32>) -> tensor<10xi32> {
  %empty = stablehlo.constant dense<0> : tensor<10xi32>
  %ones = stablehlo.constant dense<1> : tensor<64xi32>
  %bins = stablehlo.reshape %samples : (tensor<64xi32>) -> tensor<64x1xi32>
  %histogram = "stablehlo.scatter"(%empty, %bins, %ones) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
    indices_are_sorted = false,
    unique_indices = false
  }> ({
  ^bb0(%count: tensor<i32>, %more: tensor<i32>):
    %sum = stablehlo.add %count, %more : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<10xi32>, tensor<64x1xi32>, tensor<64xi32>) -> tensor<10xi32>
  return %histogram : tensor<10xi32>
}
