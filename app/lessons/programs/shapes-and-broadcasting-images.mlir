func.func @main(
    %images: tensor<2x3x2x2xi32>,
    %bias: tensor<3xi32>) -> tensor<2x3x2x2xi32> {
  %spread = stablehlo.broadcast_in_dim %bias,
      dims = [1]
      : (tensor<3xi32>) -> tensor<2x3x2x2xi32>
  %biased = stablehlo.add %images, %spread
      : tensor<2x3x2x2xi32>
  return %biased : tensor<2x3x2x2xi32>
}
