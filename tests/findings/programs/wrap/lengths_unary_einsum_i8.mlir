// title: Where a sentence ends: the lengths of its words, added up by a unary einsum
// fault: 60 + 50 + 40 characters are beyond i8
// inputs: iota; [[60, 50, 40], [3, 4, 5]]
func.func @main(%text: tensor<200xf32>, %lengths: tensor<2x3xi8>) -> tensor<2xf32> {
  %ends = "stablehlo.unary_einsum"(%lengths) <{einsum_config = "sw->s"}> : (tensor<2x3xi8>) -> tensor<2xi8> // faulty FAULT
  %starts = stablehlo.convert %ends : (tensor<2xi8>) -> tensor<2xi32> // faulty
  %wide = stablehlo.convert %lengths : (tensor<2x3xi8>) -> tensor<2x3xi32> // sound
  %starts = "stablehlo.unary_einsum"(%wide) <{einsum_config = "sw->s"}> : (tensor<2x3xi32>) -> tensor<2xi32> // sound
  %elements = "stablehlo.gather"(%text, %starts) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<200xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %elements : tensor<2xf32>
}
