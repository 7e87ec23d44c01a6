// title: Softmax of logits just below the limit of the exponential
// fault: each power is finite and their sum is not: what is divided by it is 0, though all should be 1 together
// inputs: [[88.5, 88.5, 88.6], [1.0, 2.0, 3.0]]
func.func @main(%logits: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32> // sound
  %greatest = stablehlo.reduce(%logits init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32> // sound
  %all_greatest = stablehlo.broadcast_in_dim %greatest, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32> // sound
  %shifted = stablehlo.subtract %logits, %all_greatest : tensor<2x3xf32> // sound
  %powers = stablehlo.exponential %shifted : tensor<2x3xf32> // sound
  %powers = stablehlo.exponential %logits : tensor<2x3xf32> // faulty
  %sum = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32> // FAULT
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %shares = stablehlo.divide %powers, %sums : tensor<2x3xf32>
  return %shares : tensor<2x3xf32>
}
