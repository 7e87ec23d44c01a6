// The same after the partitioner: the program of one
// device, with local shapes.
module @rows attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<2x2xi32>, %w: tensor<2x4xi32>) -> tensor<2x4xi32> {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x2xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
    return %y : tensor<2x4xi32>
  }
}
