// title: How many rows all processes have, and the last of a table of that many
// fault: 12,000 + 12,000 + 12,000 rows are beyond i16
// inputs: same iota; each 12000 | 12000 | 12000
module @rows attributes {mhlo.num_replicas = 3 : i32, mhlo.num_partitions = 1 : i32} {
  func.func @main(%table: tensor<36001xf32>, %rows: tensor<i16>) -> tensor<1xf32> {
    %total = "stablehlo.all_reduce"(%rows) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> ({ // faulty FAULT
    ^bb0(%a: tensor<i16>, %b: tensor<i16>): // faulty
      %sum = stablehlo.add %a, %b : tensor<i16> // faulty
      stablehlo.return %sum : tensor<i16> // faulty
    }) : (tensor<i16>) -> tensor<i16> // faulty
    %last = stablehlo.dynamic_slice %table, %total, sizes = [1] : (tensor<36001xf32>, tensor<i16>) -> tensor<1xf32> // faulty
    %wide = stablehlo.convert %rows : (tensor<i16>) -> tensor<i32> // sound
    %total = "stablehlo.all_reduce"(%wide) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> ({ // sound
    ^bb0(%a: tensor<i32>, %b: tensor<i32>): // sound
      %sum = stablehlo.add %a, %b : tensor<i32> // sound
      stablehlo.return %sum : tensor<i32> // sound
    }) : (tensor<i32>) -> tensor<i32> // sound
    %last = stablehlo.dynamic_slice %table, %total, sizes = [1] : (tensor<36001xf32>, tensor<i32>) -> tensor<1xf32> // sound
    return %last : tensor<1xf32>
  }
}
