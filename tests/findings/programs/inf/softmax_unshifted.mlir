// title: Softmax without the shift by the maximum
// fault: exp of 95 is beyond f32
// inputs: [[95, 2, -3, 0.5], [1, 2, -120, 4]]
func.func @main(%logits: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %greatest = stablehlo.reduce(%logits init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %of_rows = stablehlo.broadcast_in_dim %greatest, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %shifted = stablehlo.subtract %logits, %of_rows : tensor<2x4xf32>
  %powers = stablehlo.exponential %logits : tensor<2x4xf32> // faulty FAULT
  %powers = stablehlo.exponential %shifted : tensor<2x4xf32> // sound
  %sums = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %all_sums = stablehlo.broadcast_in_dim %sums, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %result = stablehlo.divide %powers, %all_sums : tensor<2x4xf32>
  return %result : tensor<2x4xf32>
}
