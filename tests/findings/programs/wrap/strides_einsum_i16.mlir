// title: Places in a table from three indices, by an einsum with the strides
// fault: 3 times 12,000 and more is beyond i16: the einsum gives negative places
// inputs: iota; [[0, 2, 7], [3, 1, 4], [1, 0, 9]]
func.func @main(%table: tensor<48000xf32>, %indices: tensor<3x3xi16>) -> tensor<3xf32> {
  %strides = stablehlo.constant dense<[12000, 100, 1]> : tensor<3xi16> // faulty
  %places = "stablehlo.einsum"(%indices, %strides) <{einsum_config = "nd,d->n"}> : (tensor<3x3xi16>, tensor<3xi16>) -> tensor<3xi16> // faulty FAULT
  %starts = stablehlo.convert %places : (tensor<3xi16>) -> tensor<3xi32> // faulty
  %strides = stablehlo.constant dense<[12000, 100, 1]> : tensor<3xi32> // sound
  %wide = stablehlo.convert %indices : (tensor<3x3xi16>) -> tensor<3x3xi32> // sound
  %starts = "stablehlo.einsum"(%wide, %strides) <{einsum_config = "nd,d->n"}> : (tensor<3x3xi32>, tensor<3xi32>) -> tensor<3xi32> // sound
  %elements = "stablehlo.gather"(%table, %starts) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<48000xf32>, tensor<3xi32>) -> tensor<3xf32>
  return %elements : tensor<3xf32>
}
