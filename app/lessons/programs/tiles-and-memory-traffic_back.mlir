// From memory in tiles of 2x3 back to the matrix: the
// transpose changes nothing yet.
func.func @main(%memory: tensor<24xi32>) -> tensor<4x6xi32> {
  %tiles = stablehlo.reshape %memory
      : (tensor<24xi32>) -> tensor<2x2x2x3xi32>
  %rows = stablehlo.transpose %tiles,
      dims = [0, 1, 2, 3]
      : (tensor<2x2x2x3xi32>) -> tensor<2x2x2x3xi32>
  %x = stablehlo.reshape %rows
      : (tensor<2x2x2x3xi32>) -> tensor<4x6xi32>
  return %x : tensor<4x6xi32>
}
