func.func @main(
    %x: tensor<1x3x3x2xi32>,
    %kernel: tensor<2x2x2x3xi32>)
    -> tensor<1x2x2x3xi32> {
  %y = stablehlo.convolution(%x, %kernel)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]
      ->[b, 0, 1, f],
    window = {stride = [1, 1]}
    {batch_group_count = 1 : i64,
     feature_group_count = 1 : i64}
    : (tensor<1x3x3x2xi32>, tensor<2x2x2x3xi32>)
    -> tensor<1x2x2x3xi32>
  return %y : tensor<1x2x2x3xi32>
}
