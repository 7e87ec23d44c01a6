// title: XLA: convolution_padding
// description: Conv padded by 2 on the left and 3 on the right, at a stride of 2.
func.func @main() -> tensor<1x4x1xf32> {
  %x = stablehlo.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %k = stablehlo.constant dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xf32>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[2, 3]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x4x1xf32>
  check.expect_eq_const %y, dense<[[[0.0], [21.0], [43.0], [0.0]]]> : tensor<1x4x1xf32>
  return %y : tensor<1x4x1xf32>
}
