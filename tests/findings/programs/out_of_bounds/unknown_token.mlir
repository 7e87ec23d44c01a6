// title: The embedding of a token that the table does not have
// fault: there is no row 12 in a table of 10: the last row is taken instead
// inputs: normal; [[3, 0, 12], [7, -1, 1]]
func.func @main(%table: tensor<10x4xf32>, %tokens: tensor<2x3xi32>) -> tensor<2x3x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<2x3xi32>
  %size = stablehlo.constant dense<10> : tensor<2x3xi32>
  %negative = stablehlo.compare LT, %tokens, %zero : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  %from_the_end = stablehlo.add %tokens, %size : tensor<2x3xi32>
  %rows = stablehlo.select %negative, %from_the_end, %tokens : tensor<2x3xi1>, tensor<2x3xi32>
  %embedded = "stablehlo.gather"(%table, %rows) <{ // FAULT
    dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 4>
  }> : (tensor<10x4xf32>, tensor<2x3xi32>) -> tensor<2x3x4xf32>
  // As JAX writes take(mode="fill"): rows that do not exist are replaced afterwards.
  %last = stablehlo.constant dense<9> : tensor<2x3xi32>
  %not_below = stablehlo.compare GE, %rows, %zero : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  %not_above = stablehlo.compare LE, %rows, %last : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  %known = stablehlo.and %not_below, %not_above : tensor<2x3xi1>
  %all_known = stablehlo.broadcast_in_dim %known, dims = [0, 1] : (tensor<2x3xi1>) -> tensor<2x3x4xi1>
  %none = stablehlo.constant dense<0.0> : tensor<2x3x4xf32>
  %filled = stablehlo.select %all_known, %embedded, %none : tensor<2x3x4xi1>, tensor<2x3x4xf32>
  return %embedded : tensor<2x3x4xf32> // faulty
  return %filled : tensor<2x3x4xf32> // sound
}
