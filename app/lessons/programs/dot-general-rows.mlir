func.func @main(
    %x: tensor<2x3xi32>,
    %w: tensor<4x3xi32>) -> tensor<2x4xi32> {
  %y = stablehlo.dot_general %x, %w,
      contracting_dims = [1] x [1]
      : (tensor<2x3xi32>, tensor<4x3xi32>)
      -> tensor<2x4xi32>
  return %y : tensor<2x4xi32>
}
