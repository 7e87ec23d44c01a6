// title: Data-parallel training without the sum of gradients
// fault: each of four processes moves its weights by its own gradient, though the weights are stated to be the same
// inputs: normal; normal[8, 3]
module @step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4]>
  func.func public @main(%weights: tensor<3xf32>, %samples: tensor<8x3xf32>) -> tensor<3xf32> {
    %result = sdy.manual_computation(%weights, %samples) in_shardings=[<@mesh, [{}]>, <@mesh, [{"data"}, {}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"data"} (%w: tensor<3xf32>, %x: tensor<2x3xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %rate = stablehlo.constant dense<0.1> : tensor<3xf32>
      %errors = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
      %own = stablehlo.dot_general %errors, %x, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<3xf32>
      %sum = "stablehlo.all_reduce"(%own) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<3xf32>) -> tensor<3xf32>
      %step = stablehlo.multiply %own, %rate : tensor<3xf32> // faulty
      %step = stablehlo.multiply %sum, %rate : tensor<3xf32> // sound
      %moved = stablehlo.subtract %w, %step : tensor<3xf32> // FAULT
      sdy.return %moved : tensor<3xf32>
    } : (tensor<3xf32>, tensor<8x3xf32>) -> tensor<3xf32>
    return %result : tensor<3xf32>
  }
}
