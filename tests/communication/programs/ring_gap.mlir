module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [2, 3], [3, 0]]> : tensor<3x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32> // faulty FAULT
    %y = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32> // sound
    return %y : tensor<4xf32>
  }
}
// note: source_target_pairs is a ring without the pair [1, 2]: partition 2 is the target of no pair and receives zeros
