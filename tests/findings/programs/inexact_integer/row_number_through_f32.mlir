// title: Rows of a table, looked up by the numbers of users that went through f32
// fault: f32 has 24 bits: 16,777,217 becomes 16,777,216, another user
// inputs: [16777217, 16777219, 16777300]; [10, 20, 30, 40, 50, 60, 70, 80]
func.func @main(%users: tensor<3xi32>, %table: tensor<8xf32>) -> tensor<3xf32> {
  %first = stablehlo.constant dense<16777216> : tensor<3xi32>
  %stored = stablehlo.convert %users : (tensor<3xi32>) -> tensor<3xf32> // faulty FAULT
  %stored = stablehlo.convert %users : (tensor<3xi32>) -> tensor<3xf64> // sound
  %read = stablehlo.convert %stored : (tensor<3xf32>) -> tensor<3xi32> // faulty
  %read = stablehlo.convert %stored : (tensor<3xf64>) -> tensor<3xi32> // sound
  %offset = stablehlo.subtract %read, %first : tensor<3xi32>
  %seven = stablehlo.constant dense<7> : tensor<3xi32>
  %row = stablehlo.and %offset, %seven : tensor<3xi32>
  %starts = stablehlo.reshape %row : (tensor<3xi32>) -> tensor<3x1xi32>
  %found = "stablehlo.gather"(%table, %starts) {
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1>
  } : (tensor<8xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return %found : tensor<3xf32>
}
