// title: XLA: top_k
// description: TopK has a total order: NaN is the largest, -NaN the smallest; of equals the first comes first.
func.func @main() -> (tensor<3xf32>, tensor<3xi32>) {
  %x = stablehlo.constant dense<[1.0, 3.0, 0x7FC00000, 3.0, 0xFFC00000, 2.0]> : tensor<6xf32>
  %values, %indices = chlo.top_k(%x, k = 3) : tensor<6xf32> -> (tensor<3xf32>, tensor<3xi32>)
  check.expect_almost_eq_const %values, dense<[0x7FC00000, 3.0, 3.0]> : tensor<3xf32>
  check.expect_eq_const %indices, dense<[2, 1, 3]> : tensor<3xi32>
  return %values, %indices : tensor<3xf32>, tensor<3xi32>
}
