// title: The steps of a series, from each sample to the one before
// fault: the sample before the first is at -1, which is moved to 0
// inputs: [3.0, 5.0, 4.0, 8.0]
func.func @main(%series: tensor<4xf32>) -> tensor<4xf32> {
  %places = stablehlo.iota dim = 0 : tensor<4xi32>
  %minus = stablehlo.constant dense<-1> : tensor<4xi32>
  %zeros = stablehlo.constant dense<0> : tensor<4xi32> // sound
  %back = stablehlo.add %places, %minus : tensor<4xi32> // sound
  %before = stablehlo.maximum %back, %zeros : tensor<4xi32> // sound
  %before = stablehlo.add %places, %minus : tensor<4xi32> // faulty
  %vectors = stablehlo.reshape %before : (tensor<4xi32>) -> tensor<4x1xi32>
  %earlier = "stablehlo.gather"(%series, %vectors) <{ // FAULT
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<4xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  %steps = stablehlo.subtract %series, %earlier : tensor<4xf32>
  return %steps : tensor<4xf32>
}
