// title: How many elements all replicas have kept, and the last one of them
// fault: 60 + 50 + 40 elements are beyond i8
// inputs: same iota; each 60 | 50 | 40
module @counts attributes {mhlo.num_replicas = 3 : i32, mhlo.num_partitions = 1 : i32} {
  func.func @main(%kept: tensor<200xf32>, %count: tensor<i8>) -> tensor<1xf32> {
    %total = "stablehlo.cross-replica-sum"(%count) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<i8>) -> tensor<i8> // faulty FAULT
    %last = stablehlo.dynamic_slice %kept, %total, sizes = [1] : (tensor<200xf32>, tensor<i8>) -> tensor<1xf32> // faulty
    %wide = stablehlo.convert %count : (tensor<i8>) -> tensor<i32> // sound
    %total = "stablehlo.cross-replica-sum"(%wide) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<i32>) -> tensor<i32> // sound
    %last = stablehlo.dynamic_slice %kept, %total, sizes = [1] : (tensor<200xf32>, tensor<i32>) -> tensor<1xf32> // sound
    return %last : tensor<1xf32>
  }
}
