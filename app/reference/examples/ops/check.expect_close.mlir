// title: check.expect_close
// description: Two neighbours among the numbers of f32 are one unit of the last place apart.
func.func @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[1.0, 0x3F800000]> : tensor<2xf32>
  %y = stablehlo.constant dense<[1.0, 0x3F800001]> : tensor<2xf32>
  check.expect_close %x, %y, max_ulp_difference = 1 : tensor<2xf32>
  return %y : tensor<2xf32>
}
