// title: XLA: convolution_depthwise
// description: A depthwise Conv: each of two input features has two filters of its own.
func.func @main() -> tensor<1x1x2x4xf32> {
  %x = stablehlo.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %k = stablehlo.constant dense<[[[[1.0, 10.0, 100.0, 1000.0]]]]> : tensor<1x1x1x4xf32>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x1x2x2xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x2x4xf32>
  check.expect_eq_const %y, dense<[[[[1.0, 10.0, 200.0, 2000.0], [3.0, 30.0, 400.0, 4000.0]]]]> : tensor<1x1x2x4xf32>
  return %y : tensor<1x1x2x4xf32>
}
