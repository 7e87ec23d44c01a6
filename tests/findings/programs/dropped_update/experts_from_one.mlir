// title: The tokens that each of four experts is sent
// fault: the experts are numbered from 1, and the tokens of the fourth are dropped
// inputs faulty: normal[6, 2]; [1, 3, 4, 2, 4, 1]
// inputs sound: normal[6, 2]; [0, 2, 3, 1, 3, 0]
func.func @main(%tokens: tensor<6x2xf32>, %experts: tensor<6xi32>) -> tensor<4x2xf32> {
  %none = stablehlo.constant dense<0.0> : tensor<4x2xf32>
  %vectors = stablehlo.reshape %experts : (tensor<6xi32>) -> tensor<6x1xi32>
  %sent = "stablehlo.scatter"(%none, %vectors, %tokens) <{ // FAULT
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<6x1xi32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %sent : tensor<4x2xf32>
}
