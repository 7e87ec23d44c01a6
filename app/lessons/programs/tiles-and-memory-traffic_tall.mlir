// The memory of a 6x4 matrix in tiles of 3x2.
func.func @main(%x: tensor<6x4xi32>) -> tensor<24xi32> {
  %cut = stablehlo.reshape %x
      : (tensor<6x4xi32>) -> tensor<2x3x2x2xi32>
  %tiles = stablehlo.transpose %cut,
      dims = [0, 2, 1, 3]
      : (tensor<2x3x2x2xi32>) -> tensor<2x2x3x2xi32>
  %memory = stablehlo.reshape %tiles
      : (tensor<2x2x3x2xi32>) -> tensor<24xi32>
  return %memory : tensor<24xi32>
}
