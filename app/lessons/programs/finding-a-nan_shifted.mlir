// Softmax of each row, after the largest number of
// the row is subtracted.
func.func @main(%logits: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %largest = stablehlo.reduce(%logits init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %shifts = stablehlo.broadcast_in_dim %largest, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %shifted = stablehlo.subtract %logits, %shifts : tensor<2x3xf32>
  %powers = stablehlo.exponential %shifted : tensor<2x3xf32>
  %sums = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %divisors = stablehlo.broadcast_in_dim %sums, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %softmax = stablehlo.divide %powers, %divisors : tensor<2x3xf32>
  return %softmax : tensor<2x3xf32>
}
