func.func @main(%prices: tensor<3x4xf32>, %rates: tensor<3xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.broadcast_in_dim %rates, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.multiply %prices, %0 : tensor<3x4xf32>
  %2 = stablehlo.subtract %prices, %1 : tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}
