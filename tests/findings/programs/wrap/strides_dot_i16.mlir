// title: Indices of four dimensions flattened by a product with the strides
// fault: 3 times 12,000 and more is beyond i16: the product gives negative places
// inputs: iota; [[0, 2, 1, 7], [3, 1, 0, 4], [1, 0, 2, 9]]; [5, 9, 1]
func.func @main(%table: tensor<48000xf32>, %indices: tensor<3x4xi16>, %words: tensor<3xui32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %strides = stablehlo.constant dense<[12000, 3000, 100, 1]> : tensor<4xi16>
  %places = stablehlo.dot_general %indices, %strides, contracting_dims = [1] x [0] : (tensor<3x4xi16>, tensor<4xi16>) -> tensor<3xi16> // faulty FAULT
  %starts = stablehlo.convert %places : (tensor<3xi16>) -> tensor<3xi32> // faulty
  %starts = stablehlo.dot_general %indices, %strides, contracting_dims = [1] x [0] : (tensor<3x4xi16>, tensor<4xi16>) -> tensor<3xi32> // sound
  %elements = "stablehlo.gather"(%table, %starts) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<48000xf32>, tensor<3xi32>) -> tensor<3xf32>
  // A polynomial hash, a product with powers of a prime, wraps by design; its low bits are the place.
  %powers = stablehlo.constant dense<[[1, 2654435761, 2246822519], [3266489917, 1, 668265263], [374761393, 2654435761, 1]]> : tensor<3x3xui32>
  %mixed = stablehlo.dot_general %powers, %words, contracting_dims = [1] x [0] : (tensor<3x3xui32>, tensor<3xui32>) -> tensor<3xui32>
  %mask = stablehlo.constant dense<32767> : tensor<3xui32>
  %bucket = stablehlo.and %mixed, %mask : tensor<3xui32>
  %hashed = "stablehlo.gather"(%table, %bucket) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<48000xf32>, tensor<3xui32>) -> tensor<3xf32>
  return %elements, %hashed : tensor<3xf32>, tensor<3xf32>
}
