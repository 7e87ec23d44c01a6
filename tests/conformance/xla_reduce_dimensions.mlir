// title: XLA: reduce_dimensions
// description: Reduce over one dimension, over two, over all.
func.func @main() -> (tensor<2x3xf32>, tensor<4x2xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<2xf32>) {
  %m = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.broadcast_in_dim %m, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  %d0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %d2 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x2x3xf32>, tensor<f32>) -> tensor<4x2xf32>
  %d01 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x2x3xf32>, tensor<f32>) -> tensor<3xf32>
  %all = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x2x3xf32>, tensor<f32>) -> tensor<f32>
  %m0 = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  %m1 = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_eq_const %d0, dense<[[4.0, 8.0, 12.0], [16.0, 20.0, 24.0]]> : tensor<2x3xf32>
  check.expect_eq_const %d2, dense<[[6.0, 15.0], [6.0, 15.0], [6.0, 15.0], [6.0, 15.0]]> : tensor<4x2xf32>
  check.expect_eq_const %d01, dense<[20.0, 28.0, 36.0]> : tensor<3xf32>
  check.expect_eq_const %all, dense<84.0> : tensor<f32>
  check.expect_eq_const %m0, dense<[5.0, 7.0, 9.0]> : tensor<3xf32>
  check.expect_eq_const %m1, dense<[6.0, 15.0]> : tensor<2xf32>
  return %d0, %d2, %d01, %all, %m0, %m1 : tensor<2x3xf32>, tensor<4x2xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<2xf32>
}
