// title: XLA: reshape
// description: Reshape keeps the order of the elements; the older form, which reads dimensions in another order, is a transpose before it.
func.func @main() -> (tensor<24xf32>, tensor<8x3xf32>, tensor<f32>, tensor<1x1xf32>, tensor<24xf32>, tensor<8x3xf32>, tensor<2x6x2xf32>) {
  %v = stablehlo.constant dense<[[[10.0, 11.0, 12.0], [15.0, 16.0, 17.0]], [[20.0, 21.0, 22.0], [25.0, 26.0, 27.0]], [[30.0, 31.0, 32.0], [35.0, 36.0, 37.0]], [[40.0, 41.0, 42.0], [45.0, 46.0, 47.0]]]> : tensor<4x2x3xf32>
  %five = stablehlo.constant dense<[[5.0]]> : tensor<1x1xf32>
  %flat = stablehlo.reshape %v : (tensor<4x2x3xf32>) -> tensor<24xf32>
  %rows = stablehlo.reshape %v : (tensor<4x2x3xf32>) -> tensor<8x3xf32>
  %scalar = stablehlo.reshape %five : (tensor<1x1xf32>) -> tensor<f32>
  %matrix = stablehlo.reshape %scalar : (tensor<f32>) -> tensor<1x1xf32>
  %turned = stablehlo.transpose %v, dims = [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  %turned_flat = stablehlo.reshape %turned : (tensor<2x3x4xf32>) -> tensor<24xf32>
  %turned_rows = stablehlo.reshape %turned : (tensor<2x3x4xf32>) -> tensor<8x3xf32>
  %turned_pairs = stablehlo.reshape %turned : (tensor<2x3x4xf32>) -> tensor<2x6x2xf32>
  check.expect_eq_const %flat, dense<[10.0, 11.0, 12.0, 15.0, 16.0, 17.0, 20.0, 21.0, 22.0, 25.0, 26.0, 27.0, 30.0, 31.0, 32.0, 35.0, 36.0, 37.0, 40.0, 41.0, 42.0, 45.0, 46.0, 47.0]> : tensor<24xf32>
  check.expect_eq_const %rows, dense<[[10.0, 11.0, 12.0], [15.0, 16.0, 17.0], [20.0, 21.0, 22.0], [25.0, 26.0, 27.0], [30.0, 31.0, 32.0], [35.0, 36.0, 37.0], [40.0, 41.0, 42.0], [45.0, 46.0, 47.0]]> : tensor<8x3xf32>
  check.expect_eq_const %scalar, dense<5.0> : tensor<f32>
  check.expect_eq_const %matrix, dense<[[5.0]]> : tensor<1x1xf32>
  check.expect_eq_const %turned_flat, dense<[10.0, 20.0, 30.0, 40.0, 11.0, 21.0, 31.0, 41.0, 12.0, 22.0, 32.0, 42.0, 15.0, 25.0, 35.0, 45.0, 16.0, 26.0, 36.0, 46.0, 17.0, 27.0, 37.0, 47.0]> : tensor<24xf32>
  check.expect_eq_const %turned_rows, dense<[[10.0, 20.0, 30.0], [40.0, 11.0, 21.0], [31.0, 41.0, 12.0], [22.0, 32.0, 42.0], [15.0, 25.0, 35.0], [45.0, 16.0, 26.0], [36.0, 46.0, 17.0], [27.0, 37.0, 47.0]]> : tensor<8x3xf32>
  check.expect_eq_const %turned_pairs, dense<[[[10.0, 20.0], [30.0, 40.0], [11.0, 21.0], [31.0, 41.0], [12.0, 22.0], [32.0, 42.0]], [[15.0, 25.0], [35.0, 45.0], [16.0, 26.0], [36.0, 46.0], [17.0, 27.0], [37.0, 47.0]]]> : tensor<2x6x2xf32>
  return %flat, %rows, %scalar, %matrix, %turned_flat, %turned_rows, %turned_pairs : tensor<24xf32>, tensor<8x3xf32>, tensor<f32>, tensor<1x1xf32>, tensor<24xf32>, tensor<8x3xf32>, tensor<2x6x2xf32>
}
