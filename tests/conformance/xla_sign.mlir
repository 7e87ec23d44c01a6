// title: XLA: sign
// description: Sign: minus one, minus zero, NaN, zero, one.
func.func @main() -> (tensor<5xf32>, tensor<1xui32>) {
  %x = stablehlo.constant dense<[-2.5, -0.0, 0x7FC00000, 0.0, 2.5]> : tensor<5xf32>
  %s = stablehlo.sign %x : tensor<5xf32>
  %bits = stablehlo.bitcast_convert %s : (tensor<5xf32>) -> tensor<5xui32>
  %zeros = stablehlo.slice %bits [1:2] : (tensor<5xui32>) -> tensor<1xui32>
  check.expect_almost_eq_const %s, dense<[-1.0, -0.0, 0x7FC00000, 0.0, 1.0]> : tensor<5xf32>
  check.expect_eq_const %zeros, dense<2147483648> : tensor<1xui32>
  return %s, %zeros : tensor<5xf32>, tensor<1xui32>
}
