// %y is cut into rows, and somebody needs it in columns.
module @reshard attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<2x2xi32>, %w: tensor<2x4xi32>) -> tensor<4x2xi32> {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x2xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
    %columns = "stablehlo.all_to_all"(%y) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<2x4xi32>) -> tensor<4x2xi32>
    return %columns : tensor<4x2xi32>
  }
}
