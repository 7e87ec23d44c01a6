func.func @main(
    %x: tensor<2x3xi32>,
    %cube: tensor<2x3x4xi32>)
    -> (tensor<3x2xi32>, tensor<3x2xi32>, tensor<4x2x3xi32>) {
  %turned = stablehlo.transpose %x,
      dims = [1, 0]
      : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %refilled = stablehlo.reshape %x
      : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %cube_turned = stablehlo.transpose %cube,
      dims = [2, 0, 1]
      : (tensor<2x3x4xi32>) -> tensor<4x2x3xi32>
  return %turned, %refilled, %cube_turned
    : tensor<3x2xi32>, tensor<3x2xi32>, tensor<4x2x3xi32>
}
