// title: Rows and columns flattened to one index
// fault: row 170 times 200 columns is beyond i16, and the sum with it a negative index
// inputs: iota; [3, 170, 199]; [5, 40, 199]; [11, 22, 33]
func.func @main(%table: tensor<40000xf32>, %rows: tensor<3xi16>, %columns: tensor<3xi16>, %words: tensor<3xui32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %width = stablehlo.constant dense<200> : tensor<3xi16> // faulty
  %flat = stablehlo.multiply %rows, %width : tensor<3xi16> // faulty FAULT
  %places = stablehlo.add %flat, %columns : tensor<3xi16> // faulty
  %indices = stablehlo.convert %places : (tensor<3xi16>) -> tensor<3xi32> // faulty
  %width = stablehlo.constant dense<200> : tensor<3xi32> // sound
  %wide_rows = stablehlo.convert %rows : (tensor<3xi16>) -> tensor<3xi32> // sound
  %wide_columns = stablehlo.convert %columns : (tensor<3xi16>) -> tensor<3xi32> // sound
  %flat = stablehlo.multiply %wide_rows, %width : tensor<3xi32> // sound
  %indices = stablehlo.add %flat, %wide_columns : tensor<3xi32> // sound
  %elements = "stablehlo.gather"(%table, %indices) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<40000xf32>, tensor<3xi32>) -> tensor<3xf32>
  // A hash that wraps by design chooses the rows of a second look-up.
  %prime = stablehlo.constant dense<2654435761> : tensor<3xui32>
  %shift = stablehlo.constant dense<17> : tensor<3xui32>
  %mixed = stablehlo.multiply %words, %prime : tensor<3xui32>
  %bucket = stablehlo.shift_right_logical %mixed, %shift : tensor<3xui32>
  %hashed = "stablehlo.gather"(%table, %bucket) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<40000xf32>, tensor<3xui32>) -> tensor<3xf32>
  return %elements, %hashed : tensor<3xf32>, tensor<3xf32>
}
