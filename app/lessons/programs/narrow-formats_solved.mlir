// Weights go through f8E4M3FN with a scale.
func.func @main(%weights: tensor<4xf32>) -> tensor<4xf32> {
  %scale = stablehlo.constant dense<8.0> : tensor<4xf32>
  %small = stablehlo.divide %weights, %scale : tensor<4xf32>
  %stored = stablehlo.convert %small : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  %wide = stablehlo.convert %stored : (tensor<4xf8E4M3FN>) -> tensor<4xf32>
  %restored = stablehlo.multiply %wide, %scale : tensor<4xf32>
  return %restored : tensor<4xf32>
}
