// Weights go through f8E4M3FN without a scale.
func.func @main(%weights: tensor<4xf32>) -> tensor<4xf32> {
  %stored = stablehlo.convert %weights : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  %restored = stablehlo.convert %stored : (tensor<4xf8E4M3FN>) -> tensor<4xf32>
  return %restored : tensor<4xf32>
}
