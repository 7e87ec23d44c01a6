// title: check.expect_almost_eq_const
// description: A third is not exactly 0.33333, but nearly.
func.func @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %three = stablehlo.constant dense<3.0> : tensor<2xf32>
  %thirds = stablehlo.divide %x, %three : tensor<2xf32>
  check.expect_almost_eq_const %thirds, dense<[0.33333, 0.66667]> : tensor<2xf32>
  return %thirds : tensor<2xf32>
}
