// The memory of a 4x6 matrix in tiles of 2x3: tile after
// tile, and each tile row by row.
func.func @main(%x: tensor<4x6xi32>) -> tensor<24xi32> {
  %cut = stablehlo.reshape %x
      : (tensor<4x6xi32>) -> tensor<2x2x2x3xi32>
  %tiles = stablehlo.transpose %cut,
      dims = [0, 2, 1, 3]
      : (tensor<2x2x2x3xi32>) -> tensor<2x2x2x3xi32>
  %memory = stablehlo.reshape %tiles
      : (tensor<2x2x2x3xi32>) -> tensor<24xi32>
  return %memory : tensor<24xi32>
}
