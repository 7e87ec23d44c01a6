func.func @main(
    %x: tensor<1x5x1xi32>,
    %kernel: tensor<3x1x1xi32>)
    -> tensor<1x3x1xi32> {
  %y = stablehlo.convolution(%x, %kernel)
    dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {stride = [1], reverse = [true]}
    {batch_group_count = 1 : i64,
     feature_group_count = 1 : i64}
    : (tensor<1x5x1xi32>, tensor<3x1x1xi32>)
    -> tensor<1x3x1xi32>
  return %y : tensor<1x3x1xi32>
}
