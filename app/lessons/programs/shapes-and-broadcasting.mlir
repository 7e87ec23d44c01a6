func.func @main(
    %x: tensor<2x3xi32>,
    %row: tensor<3xi32>,
    %column: tensor<2xi32>) -> tensor<2x3xi32> {
  %down = stablehlo.broadcast_in_dim %row,
      dims = [1]
      : (tensor<3xi32>) -> tensor<2x3xi32>
  %sum = stablehlo.add %x, %down : tensor<2x3xi32>
  %across = stablehlo.broadcast_in_dim %column,
      dims = [0]
      : (tensor<2xi32>) -> tensor<2x3xi32>
  %total = stablehlo.add %sum, %across
      : tensor<2x3xi32>
  return %total : tensor<2x3xi32>
}
