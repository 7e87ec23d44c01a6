// Four processes run this function, each with its own
// numbers.
module @friends attributes {mhlo.num_replicas = 4 : i32, mhlo.num_partitions = 1 : i32} {
  func.func @main(%own: tensor<4xi32>) -> (tensor<4xi32>, tensor<16xi32>, tensor<1xi32>, tensor<1x4xi32>, tensor<4xi32>) {
    // Every process gets the sum.
    %total = "stablehlo.all_reduce"(%own) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %sum = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %sum : tensor<i32>
    }) : (tensor<4xi32>) -> tensor<4xi32>

    // Every process gets everything.
    %joined = "stablehlo.all_gather"(%own) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4xi32>) -> tensor<16xi32>

    // Every process gets a part of the sum of these.
    %twice = stablehlo.add %own, %own : tensor<4xi32>
    %share = "stablehlo.reduce_scatter"(%twice) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %sum_again = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %sum_again : tensor<i32>
    }) : (tensor<4xi32>) -> tensor<1xi32>

    // Every process sends a part to every process.
    %column = stablehlo.reshape %own : (tensor<4xi32>) -> tensor<4x1xi32>
    %exchanged = "stablehlo.all_to_all"(%column) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4x1xi32>) -> tensor<1x4xi32>

    // Each process but the last sends everything to
    // the next one.
    %moved = "stablehlo.collective_permute"(%own) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<4xi32>) -> tensor<4xi32>
    return %total, %joined, %share, %exchanged, %moved : tensor<4xi32>, tensor<16xi32>, tensor<1xi32>, tensor<1x4xi32>, tensor<4xi32>
  }
}
