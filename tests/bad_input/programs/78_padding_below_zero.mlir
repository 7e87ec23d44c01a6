// expect: 4:8 constraint [C4] "more elements are removed than there are: the result's sizes would be [3, -5]"
func.func @main(%a: tensor<3x?xf32, #stablehlo.bounds<?, 3>>, %v: tensor<f32>) {
  // The second size is at most 3, padded to 2 * 3 - 1 - 10.
  %0 = "stablehlo.pad"(%a, %v) {edge_padding_low = array<i64: 0, -10>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 1>} : (tensor<3x?xf32, #stablehlo.bounds<?, 3>>, tensor<f32>) -> tensor<3x?xf32>
  return
}
