// The contracted dimension is cut: each device has one
// column of %x and one row of %w.
module @contracted attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<4x1xi32>, %w: tensor<1x4xi32>) -> tensor<4x4xi32> {
    %partial = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x1xi32>, tensor<1x4xi32>) -> tensor<4x4xi32>
    %y = "stablehlo.all_reduce"(%partial) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %added = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %added : tensor<i32>
    }) : (tensor<4x4xi32>) -> tensor<4x4xi32>
    return %y : tensor<4x4xi32>
  }
}
