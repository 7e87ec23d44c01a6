func.func @main(
    %x: tensor<3x3xi32>,
    %w: tensor<3x3xi32>) -> tensor<3x3xi32> {
  %y = stablehlo.dot_general %x, %w,
      contracting_dims = [1] x [0]
      : (tensor<3x3xi32>, tensor<3x3xi32>)
      -> tensor<3x3xi32>
  return %y : tensor<3x3xi32>
}
