func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %sum = stablehlo.add %x, %x : tensor<2x3xf32>
  %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %cube = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x4xf32>
  %three = stablehlo.constant dense<3.0> : tensor<2x3xf32>
  %product = stablehlo.multiply %x, %three : tensor<2x3xf32>
  %log = stablehlo.log %x : tensor<2x3xf32>
  return %log : tensor<2x3xf32>
}
