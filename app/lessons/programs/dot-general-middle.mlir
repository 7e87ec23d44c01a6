func.func @main(
    %x: tensor<2x3x4xi32>,
    %w: tensor<3x5xi32>) -> tensor<2x4x5xi32> {
  %y = stablehlo.dot_general %x, %w,
      contracting_dims = [1] x [0]
      : (tensor<2x3x4xi32>, tensor<3x5xi32>)
      -> tensor<2x4x5xi32>
  return %y : tensor<2x4x5xi32>
}
