// title: Codes of eight neighbours, looked up in a table
// fault: the weights are 1 to 64 and 127, the largest i8: with two of them the code wraps around
// inputs: iota; [0, 1, 0, 0, 1, 1, 0, 1, 1, 0]
func.func @main(%table: tensor<256xf32>, %bits: tensor<10xi8>) -> tensor<3xf32> {
  %row = stablehlo.reshape %bits : (tensor<10xi8>) -> tensor<1x10x1xi8> // faulty
  %weights = stablehlo.constant dense<[[[127]], [[64]], [[32]], [[16]], [[8]], [[4]], [[2]], [[1]]]> : tensor<8x1x1xi8> // faulty
  %codes = stablehlo.convolution(%row, %weights) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x10x1xi8>, tensor<8x1x1xi8>) -> tensor<1x3x1xi8> // faulty FAULT
  %places = stablehlo.reshape %codes : (tensor<1x3x1xi8>) -> tensor<3xi8> // faulty
  %starts = stablehlo.convert %places : (tensor<3xi8>) -> tensor<3xi32> // faulty
  %wide = stablehlo.convert %bits : (tensor<10xi8>) -> tensor<10xi32> // sound
  %row = stablehlo.reshape %wide : (tensor<10xi32>) -> tensor<1x10x1xi32> // sound
  %weights = stablehlo.constant dense<[[[128]], [[64]], [[32]], [[16]], [[8]], [[4]], [[2]], [[1]]]> : tensor<8x1x1xi32> // sound
  %codes = stablehlo.convolution(%row, %weights) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x10x1xi32>, tensor<8x1x1xi32>) -> tensor<1x3x1xi32> // sound
  %starts = stablehlo.reshape %codes : (tensor<1x3x1xi32>) -> tensor<3xi32> // sound
  %found = "stablehlo.gather"(%table, %starts) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<256xf32>, tensor<3xi32>) -> tensor<3xf32>
  return %found : tensor<3xf32>
}
