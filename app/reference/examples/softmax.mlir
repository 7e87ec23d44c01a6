// title: Softmax
// description: Two reductions with recognised bodies; the maximum is subtracted first, so no exponential overflows.
// inputs: normal*3
func.func @main(%logits: tensor<8x12xf32>) -> tensor<8x12xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %largest = stablehlo.reduce(%logits init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<8x12xf32>, tensor<f32>) -> tensor<8xf32>
  %largest_of_row = stablehlo.broadcast_in_dim %largest, dims = [0] : (tensor<8xf32>) -> tensor<8x12xf32>
  %shifted = stablehlo.subtract %logits, %largest_of_row : tensor<8x12xf32>
  %exponentials = stablehlo.exponential %shifted : tensor<8x12xf32>
  %total = stablehlo.reduce(%exponentials init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x12xf32>, tensor<f32>) -> tensor<8xf32>
  %total_of_row = stablehlo.broadcast_in_dim %total, dims = [0] : (tensor<8xf32>) -> tensor<8x12xf32>
  %probabilities = stablehlo.divide %exponentials, %total_of_row : tensor<8x12xf32>
  return %probabilities : tensor<8x12xf32>
}
