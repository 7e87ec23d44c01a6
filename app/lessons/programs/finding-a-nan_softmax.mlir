// Softmax of each row, written like the formula: powers
// of e, divided by their sum.
func.func @main(%logits: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %powers = stablehlo.exponential %logits : tensor<2x3xf32>
  %sums = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %divisors = stablehlo.broadcast_in_dim %sums, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %softmax = stablehlo.divide %powers, %divisors : tensor<2x3xf32>
  return %softmax : tensor<2x3xf32>
}
