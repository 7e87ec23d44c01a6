module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> (tensor<f32> {mhlo.sharding = "{replicated}"}) {
    %id = stablehlo.partition_id : tensor<ui32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %own = stablehlo.reduce(%x init: %none) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> // FAULT
    %all = "stablehlo.all_reduce"(%own) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<f32>) -> tensor<f32>
    return %own : tensor<f32> // faulty
    return %all : tensor<f32> // sound
  }
}
// warning: %own is stated to be the same in processes (0, 0) and (0, 1)
