func.func @main(
    %x: tensor<2x3xi32>,
    %w: tensor<3x2xi32>) -> tensor<2x2xi32> {
  %y = stablehlo.dot_general %x, %w,
      contracting_dims = [1] x [0]
      : (tensor<2x3xi32>, tensor<3x2xi32>)
      -> tensor<2x2xi32>
  return %y : tensor<2x2xi32>
}
