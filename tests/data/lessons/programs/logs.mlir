module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<2x2xbf16>) -> tensor<2x2xbf16> {
    %0 = stablehlo.log %x : tensor<2x2xbf16>
    return %0 : tensor<2x2xbf16>
  }
}
