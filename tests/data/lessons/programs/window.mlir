func.func @main(%table: tensor<4x2xf32>, %starts: tensor<2x1xi64>) -> tensor<2x1x2xf32> {
  %half = stablehlo.constant dense<0.3> : tensor<4x2xf32>
  %0 = stablehlo.multiply %table, %half : tensor<4x2xf32>
  %1 = "stablehlo.gather"(%0, %starts) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>,
    indices_are_sorted = false
  } : (tensor<4x2xf32>, tensor<2x1xi64>) -> tensor<2x1x2xf32>
  return %1 : tensor<2x1x2xf32>
}
