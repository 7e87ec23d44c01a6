// title: XLA: batch_norm
// description: BatchNormTraining and BatchNormInference of the numbers 0 to 7.
func.func @main() -> (tensor<2xf32>, tensor<2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>) {
  %x = stablehlo.constant dense<[[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]]> : tensor<2x2x2xf32>
  %scale = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %offset = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %y, %mean, %variance = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}>
    : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %z = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}>
    : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x2xf32>
  check.expect_almost_eq_const %mean, dense<[3.0, 4.0]> : tensor<2xf32>
  check.expect_almost_eq_const %variance, dense<[5.0, 5.0]> : tensor<2xf32>
  check.expect_almost_eq_const %y, dense<[[[-1.3415066, -1.6830133], [-0.4471689, 0.1056622]], [[0.4471689, 1.8943378], [1.3415066, 3.6830133]]]> : tensor<2x2x2xf32>
  check.expect_almost_eq_const %z, dense<[[[-1.3415066, -1.6830133], [-0.4471689, 0.1056622]], [[0.4471689, 1.8943378], [1.3415066, 3.6830133]]]> : tensor<2x2x2xf32>
  return %mean, %variance, %y, %z : tensor<2xf32>, tensor<2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>
}
