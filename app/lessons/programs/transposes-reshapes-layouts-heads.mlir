func.func @main(
    %x: tensor<2x6xi32>) -> tensor<3x2x2xi32> {
  %split = stablehlo.reshape %x
      : (tensor<2x6xi32>) -> tensor<2x3x2xi32>
  %heads = stablehlo.transpose %split,
      dims = [1, 0, 2]
      : (tensor<2x3x2xi32>) -> tensor<3x2x2xi32>
  return %heads : tensor<3x2x2xi32>
}
