// title: Gradients added to the rows of a table, which are said to be different ones
// fault: row 1 comes twice, though unique_indices says that it does not: an addition may be lost
// inputs faulty: normal; normal; [1, 3, 1]
// inputs sound: normal; normal; [1, 3, 0]
func.func @main(%table: tensor<4x2xf32>, %gradients: tensor<3x2xf32>, %rows: tensor<3xi32>) -> tensor<4x2xf32> {
  %vectors = stablehlo.reshape %rows : (tensor<3xi32>) -> tensor<3x1xi32>
  %moved = "stablehlo.scatter"(%table, %vectors, %gradients) <{ // FAULT
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
    unique_indices = true
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<3x1xi32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %moved : tensor<4x2xf32>
}
