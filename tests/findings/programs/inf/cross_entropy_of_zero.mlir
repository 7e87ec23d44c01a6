// title: Cross entropy of a probability that became 0
// fault: the softmax of -200 is 0 in f32, and log 0 is -Inf
// inputs: [[3, -200, 1], [0, 1, 2]]; [1, 2]
func.func @main(%logits: tensor<2x3xf32>, %labels: tensor<2xi32>) -> tensor<f32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %greatest = stablehlo.reduce(%logits init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %of_rows = stablehlo.broadcast_in_dim %greatest, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %shifted = stablehlo.subtract %logits, %of_rows : tensor<2x3xf32>
  %powers = stablehlo.exponential %shifted : tensor<2x3xf32>
  %sums = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %all_sums = stablehlo.broadcast_in_dim %sums, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %probabilities = stablehlo.divide %powers, %all_sums : tensor<2x3xf32>
  %log_sums = stablehlo.log %all_sums : tensor<2x3xf32>
  %logs = stablehlo.log %probabilities : tensor<2x3xf32> // faulty FAULT
  %logs = stablehlo.subtract %shifted, %log_sums : tensor<2x3xf32> // sound
  %classes = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %wanted = stablehlo.broadcast_in_dim %labels, dims = [0] : (tensor<2xi32>) -> tensor<2x3xi32>
  %is_wanted = stablehlo.compare EQ, %classes, %wanted : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  %one_hot = stablehlo.convert %is_wanted : (tensor<2x3xi1>) -> tensor<2x3xf32>
  %chosen = stablehlo.multiply %one_hot, %logs : tensor<2x3xf32>
  %total = stablehlo.reduce(%chosen init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  %loss = stablehlo.negate %total : tensor<f32>
  return %loss : tensor<f32>
}
