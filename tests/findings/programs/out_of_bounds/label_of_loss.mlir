// title: Cross entropy by the logarithms at the labels
// fault: label 5 is none of five classes; the last class is taken instead
// inputs faulty: normal; [0, 5, 2]
// inputs sound: normal; [0, 4, 2]
func.func @main(%logits: tensor<3x5xf32>, %labels: tensor<3xi32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %top = stablehlo.reduce(%logits init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
  %tops = stablehlo.broadcast_in_dim %top, dims = [0] : (tensor<3xf32>) -> tensor<3x5xf32>
  %shifted = stablehlo.subtract %logits, %tops : tensor<3x5xf32>
  %powers = stablehlo.exponential %shifted : tensor<3x5xf32>
  %sums = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
  %log = stablehlo.log %sums : tensor<3xf32>
  %logs = stablehlo.broadcast_in_dim %log, dims = [0] : (tensor<3xf32>) -> tensor<3x5xf32>
  %logarithms = stablehlo.subtract %shifted, %logs : tensor<3x5xf32>
  %rows = stablehlo.iota dim = 0 : tensor<3x1xi32>
  %columns = stablehlo.reshape %labels : (tensor<3xi32>) -> tensor<3x1xi32>
  %places = stablehlo.concatenate %rows, %columns, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
  %at_labels = "stablehlo.gather"(%logarithms, %places) <{ // FAULT
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>
  }> : (tensor<3x5xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  %sum = stablehlo.reduce(%at_labels init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %loss = stablehlo.negate %sum : tensor<f32>
  return %loss : tensor<f32>
}
