// title: Places in the tables of two experts, whose rows have strides of their own
// fault: 3 times 15,000 is beyond i16: the second expert's rows get negative places
// inputs: iota; [[1, 5], [0, 7], [3, 2], [2, 9]]; [2, 2]
func.func @main(%table: tensor<48000xf32>, %indices: tensor<4x2xi16>, %group_sizes: tensor<2xi32>) -> tensor<4xf32> {
  %strides = stablehlo.constant dense<[[[100], [1]], [[15000], [1]]]> : tensor<2x2x1xi16> // faulty
  %places = "chlo.ragged_dot"(%indices, %strides, %group_sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x2xi16>, tensor<2x2x1xi16>, tensor<2xi32>) -> tensor<4x1xi16> // faulty FAULT
  %starts = stablehlo.convert %places : (tensor<4x1xi16>) -> tensor<4x1xi32> // faulty
  %strides = stablehlo.constant dense<[[[100], [1]], [[15000], [1]]]> : tensor<2x2x1xi32> // sound
  %wide = stablehlo.convert %indices : (tensor<4x2xi16>) -> tensor<4x2xi32> // sound
  %starts = "chlo.ragged_dot"(%wide, %strides, %group_sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x2xi32>, tensor<2x2x1xi32>, tensor<2xi32>) -> tensor<4x1xi32> // sound
  %elements = "stablehlo.gather"(%table, %starts) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<48000xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  return %elements : tensor<4xf32>
}
