// title: One of four processes has a batch of zeros
// fault: its norm is 0, 0 / 0 is NaN, and the sum takes the NaN to all processes
// inputs faulty: each [1, 2] | [0, 0] | [3, 1] | [0.5, 2]
// inputs sound: each [1, 2] | [0, 1] | [3, 1] | [0.5, 2]
module @clip attributes {mhlo.num_replicas = 4 : i32, mhlo.num_partitions = 1 : i32} {
  func.func @main(%gradient: tensor<2xf32>) -> tensor<2xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %squares = stablehlo.multiply %gradient, %gradient : tensor<2xf32>
    %sum = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %length = stablehlo.sqrt %sum : tensor<f32>
    %lengths = stablehlo.broadcast_in_dim %length, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %direction = stablehlo.divide %gradient, %lengths : tensor<2xf32> // FAULT
    %total = "stablehlo.all_reduce"(%direction) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    return %total : tensor<2xf32>
  }
}
