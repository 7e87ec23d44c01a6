// title: XLA: batch_norm_grad
// description: BatchNormGrad of the numbers 0 to 7, by the formula of the pages.
func.func @main() -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = stablehlo.constant dense<[[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]]> : tensor<2x2x2xf32>
  %scale = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %mean = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %variance = stablehlo.constant dense<[5.0, 5.0]> : tensor<2xf32>
  %grad_output = stablehlo.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[2.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf32>
  %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad_output) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}>
    : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %grad_operand, dense<[[[0.0447303, -0.4471689], [-0.3577306, 0.4471689]], [[0.5813151, 0.4471689], [-0.2683147, -0.4471689]]]> : tensor<2x2x2xf32>
  check.expect_almost_eq_const %grad_scale, dense<[-0.4471689, 0.0]> : tensor<2xf32>
  check.expect_almost_eq_const %grad_offset, dense<[3.0, 2.0]> : tensor<2xf32>
  return %grad_operand, %grad_scale, %grad_offset : tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>
}
