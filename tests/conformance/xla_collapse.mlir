// title: XLA: collapse
// description: Collapse of consecutive dimensions: a reshape. The pages label the last two the other way round.
func.func @main() -> (tensor<24xf32>, tensor<8x3xf32>, tensor<4x6xf32>) {
  %v = stablehlo.constant dense<[[[10.0, 11.0, 12.0], [15.0, 16.0, 17.0]], [[20.0, 21.0, 22.0], [25.0, 26.0, 27.0]], [[30.0, 31.0, 32.0], [35.0, 36.0, 37.0]], [[40.0, 41.0, 42.0], [45.0, 46.0, 47.0]]]> : tensor<4x2x3xf32>
  %v012 = stablehlo.reshape %v : (tensor<4x2x3xf32>) -> tensor<24xf32>
  %v01 = stablehlo.reshape %v : (tensor<4x2x3xf32>) -> tensor<8x3xf32>
  %v12 = stablehlo.reshape %v : (tensor<4x2x3xf32>) -> tensor<4x6xf32>
  check.expect_eq_const %v012, dense<[10.0, 11.0, 12.0, 15.0, 16.0, 17.0, 20.0, 21.0, 22.0, 25.0, 26.0, 27.0, 30.0, 31.0, 32.0, 35.0, 36.0, 37.0, 40.0, 41.0, 42.0, 45.0, 46.0, 47.0]> : tensor<24xf32>
  check.expect_eq_const %v01, dense<[[10.0, 11.0, 12.0], [15.0, 16.0, 17.0], [20.0, 21.0, 22.0], [25.0, 26.0, 27.0], [30.0, 31.0, 32.0], [35.0, 36.0, 37.0], [40.0, 41.0, 42.0], [45.0, 46.0, 47.0]]> : tensor<8x3xf32>
  check.expect_eq_const %v12, dense<[[10.0, 11.0, 12.0, 15.0, 16.0, 17.0], [20.0, 21.0, 22.0, 25.0, 26.0, 27.0], [30.0, 31.0, 32.0, 35.0, 36.0, 37.0], [40.0, 41.0, 42.0, 45.0, 46.0, 47.0]]> : tensor<4x6xf32>
  return %v012, %v01, %v12 : tensor<24xf32>, tensor<8x3xf32>, tensor<4x6xf32>
}
