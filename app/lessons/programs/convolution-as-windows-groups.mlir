func.func @main(
    %x: tensor<1x3x2xi32>,
    %kernel: tensor<2x1x2xi32>)
    -> tensor<1x2x2xi32> {
  %y = stablehlo.convolution(%x, %kernel)
    dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {stride = [1]}
    {batch_group_count = 1 : i64,
     feature_group_count = 2 : i64}
    : (tensor<1x3x2xi32>, tensor<2x1x2xi32>)
    -> tensor<1x2x2xi32>
  return %y : tensor<1x2x2xi32>
}
