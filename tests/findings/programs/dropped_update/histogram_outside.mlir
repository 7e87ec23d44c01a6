// title: A histogram whose range is too small
// fault: samples of bins 5 and 6 are dropped, for there are four bins
// inputs faulty: [0.5, 1.25, 2.75, 3.5, 0.75, 1.5]
// inputs sound: [0.5, 1.25, 1.75, 0.125, 0.75, 1.5]
func.func @main(%samples: tensor<6xf32>) -> (tensor<4xi32>, tensor<4xf32>) {
  %width = stablehlo.constant dense<0.5> : tensor<6xf32>
  %empty = stablehlo.constant dense<0> : tensor<4xi32>
  %ones = stablehlo.constant dense<1> : tensor<6xi32>
  %scaled = stablehlo.divide %samples, %width : tensor<6xf32>
  %whole = stablehlo.floor %scaled : tensor<6xf32>
  %bins = stablehlo.convert %whole : (tensor<6xf32>) -> tensor<6xi32>
  %vectors = stablehlo.reshape %bins : (tensor<6xi32>) -> tensor<6x1xi32>
  %counts = "stablehlo.scatter"(%empty, %vectors, %ones) <{ // FAULT
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>, tensor<6x1xi32>, tensor<6xi32>) -> tensor<4xi32>
  // As JAX writes nonzero(size=4): what is not wanted goes to place 4, which does not exist, and is dropped.
  %nothing = stablehlo.constant dense<0.0> : tensor<4xf32>
  %places = stablehlo.constant dense<[[0], [0], [1], [1], [1], [2]]> : tensor<6x1xi32>
  %wanted = stablehlo.constant dense<[[true], [false], [true], [false], [false], [true]]> : tensor<6x1xi1>
  %nowhere = stablehlo.constant dense<4> : tensor<6x1xi32>
  %kept = stablehlo.select %wanted, %places, %nowhere : tensor<6x1xi1>, tensor<6x1xi32>
  %chosen = "stablehlo.scatter"(%nothing, %kept, %samples) <{
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<6x1xi32>, tensor<6xf32>) -> tensor<4xf32>
  return %counts, %chosen : tensor<4xi32>, tensor<4xf32>
}
