// The gradient of sum(table[tokens] * weights), as JAX derives it.
func.func @main(%table: tensor<4xf32>, %tokens: tensor<3x1xi32>, %weights: tensor<3xf32>)
    -> (tensor<f32>, tensor<4xf32>) {
  %picked = "stablehlo.gather"(%table, %tokens) <{
    dimension_numbers = #stablehlo.gather<
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1>,
    slice_sizes = array<i64: 1>
  }> : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  %products = stablehlo.multiply %picked, %weights : tensor<3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %loss = stablehlo.reduce(%products init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>

  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %to_products = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %to_picked = stablehlo.multiply %to_products, %weights : tensor<3xf32>
  %zeros = stablehlo.constant dense<0.0> : tensor<4xf32>
  %to_table = "stablehlo.scatter"(%zeros, %tokens, %to_picked) <{
    scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>
  }> ({
    ^bb0(%old: tensor<f32>, %new: tensor<f32>):
      %sum = stablehlo.add %old, %new : tensor<f32>
      stablehlo.return %sum : tensor<f32>
  }) : (tensor<4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4xf32>
  return %loss, %to_table : tensor<f32>, tensor<4xf32>
}
