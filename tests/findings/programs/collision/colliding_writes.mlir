// title: Slots that are written by index
// fault: two updates go to slot 2, and which of them stays depends on the order
// inputs: [1.5, 2.5, 3.5, 4.5]
func.func @main(%updates: tensor<4xf32>) -> (tensor<6xf32>, tensor<6xi32>) {
  %slots = stablehlo.constant dense<[[2], [0], [5], [2]]> : tensor<4x1xi32> // faulty
  %slots = stablehlo.constant dense<[[2], [0], [5], [3]]> : tensor<4x1xi32> // sound
  %empty = stablehlo.constant dense<0.0> : tensor<6xf32>
  %written = "stablehlo.scatter"(%empty, %slots, %updates) <{ // FAULT
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<6xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<6xf32>
  // Counts meet too, and any order of integer additions gives the same.
  %counted = stablehlo.constant dense<[[1], [1], [4], [1]]> : tensor<4x1xi32>
  %none = stablehlo.constant dense<0> : tensor<6xi32>
  %ones = stablehlo.constant dense<1> : tensor<4xi32>
  %counts = "stablehlo.scatter"(%none, %counted, %ones) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<6xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<6xi32>
  return %written, %counts : tensor<6xf32>, tensor<6xi32>
}
