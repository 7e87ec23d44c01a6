// title: Means of segments, one of which is empty
// fault: the mean of no samples is 0 / 0
// inputs: [1.5, 2.5, -1, 4, 0.5]; [[0], [0], [2], [3], [3]]
func.func @main(%samples: tensor<5xf32>, %segments: tensor<5x1xi32>) -> tensor<4xf32> {
  %empty = stablehlo.constant dense<0.0> : tensor<4xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<5xf32>
  %least = stablehlo.constant dense<1.0> : tensor<4xf32>
  %sums = "stablehlo.scatter"(%empty, %segments, %samples) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<4xf32>
  %counts = "stablehlo.scatter"(%empty, %segments, %ones) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<4xf32>
  %guarded = stablehlo.maximum %counts, %least : tensor<4xf32>
  %means = stablehlo.divide %sums, %counts : tensor<4xf32> // faulty FAULT
  %means = stablehlo.divide %sums, %guarded : tensor<4xf32> // sound
  return %means : tensor<4xf32>
}
