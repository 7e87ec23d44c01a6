func.func @main(
    %x: tensor<2x3xi32>) -> tensor<3x2xi32> {
  %turned = stablehlo.broadcast_in_dim %x,
      dims = [1, 0]
      : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %turned : tensor<3x2xi32>
}
