// A 3x4 matrix in tiles of 2x3: the tiles at the edges
// are filled up.
func.func @main(%x: tensor<3x4xi32>) -> tensor<24xi32> {
  %filler = stablehlo.constant dense<-1> : tensor<i32>
  %whole = stablehlo.pad %x, %filler,
      low = [0, 0], high = [1, 2], interior = [0, 0]
      : (tensor<3x4xi32>, tensor<i32>) -> tensor<4x6xi32>
  %cut = stablehlo.reshape %whole
      : (tensor<4x6xi32>) -> tensor<2x2x2x3xi32>
  %tiles = stablehlo.transpose %cut,
      dims = [0, 2, 1, 3]
      : (tensor<2x2x2x3xi32>) -> tensor<2x2x2x3xi32>
  %memory = stablehlo.reshape %tiles
      : (tensor<2x2x2x3xi32>) -> tensor<24xi32>
  return %memory : tensor<24xi32>
}
