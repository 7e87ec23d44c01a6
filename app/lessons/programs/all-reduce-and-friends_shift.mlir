// Each process but the last sends its numbers to the next.
// Make it a ring, so that every process gets some.
module @shift attributes {mhlo.num_replicas = 4 : i32, mhlo.num_partitions = 1 : i32} {
  func.func @main(%own: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
    %moved = "stablehlo.collective_permute"(%own) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<4xi32>) -> tensor<4xi32>
    %both = stablehlo.add %own, %moved : tensor<4xi32>
    return %moved, %both : tensor<4xi32>, tensor<4xi32>
  }
}
