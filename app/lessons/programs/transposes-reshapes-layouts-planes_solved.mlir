func.func @main(
    %pixels: tensor<2x2x3xi32>)
    -> tensor<3x2x2xi32> {
  %planes = stablehlo.transpose %pixels,
      dims = [2, 0, 1]
      : (tensor<2x2x3xi32>) -> tensor<3x2x2xi32>
  return %planes : tensor<3x2x2xi32>
}
