// title: Tokens sent to the slots of their expert, which has three of them
// fault: the fourth token of expert 0 has no slot, and what is known of it is lost
// inputs faulty: normal; [0, 1, 0, 0, 0, 1]
// inputs sound: normal; [0, 1, 0, 1, 0, 1]
func.func @main(%tokens: tensor<6x2xf32>, %expert: tensor<6xi32>) -> tensor<2x3x2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<6x2xi32>
  %numbers = stablehlo.iota dim = 1 : tensor<6x2xi32>
  %experts = stablehlo.broadcast_in_dim %expert, dims = [0] : (tensor<6xi32>) -> tensor<6x2xi32>
  %chosen = stablehlo.compare EQ, %experts, %numbers : (tensor<6x2xi32>, tensor<6x2xi32>) -> tensor<6x2xi1>
  %mine = stablehlo.convert %chosen : (tensor<6x2xi1>) -> tensor<6x2xi32>
  %counts = "stablehlo.reduce_window"(%mine, %zero) <{
    window_dimensions = array<i64: 6, 1>, padding = dense<[[5, 0], [0, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<6x2xi32>, tensor<i32>) -> tensor<6x2xi32>
  %before = stablehlo.subtract %counts, %one : tensor<6x2xi32>
  %places = stablehlo.multiply %before, %mine : tensor<6x2xi32>
  %slot = stablehlo.reduce(%places init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x2xi32>, tensor<i32>) -> tensor<6xi32>
  %first = stablehlo.reshape %expert : (tensor<6xi32>) -> tensor<6x1xi32>
  %second = stablehlo.reshape %slot : (tensor<6xi32>) -> tensor<6x1xi32>
  %vectors = stablehlo.concatenate %first, %second, dim = 1 : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
  %empty = stablehlo.constant dense<0.0> : tensor<2x3x2xf32>
  %buffers = "stablehlo.scatter"(%empty, %vectors, %tokens) <{ // FAULT
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>
  }> ({
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %d : tensor<f32>
  }) : (tensor<2x3x2xf32>, tensor<6x2xi32>, tensor<6x2xf32>) -> tensor<2x3x2xf32>
  return %buffers : tensor<2x3x2xf32>
}
