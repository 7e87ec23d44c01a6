// Two ops in a row: transpose the matrix, then write
// it as one row of 24.
func.func @main(%x: tensor<4x6xi32>) -> tensor<24xi32> {
  %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xi32>) -> tensor<6x4xi32>
  %flat = stablehlo.reshape %turned : (tensor<6x4xi32>) -> tensor<24xi32>
  return %flat : tensor<24xi32>
}
