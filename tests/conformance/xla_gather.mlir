// title: XLA: gather
// description: Gather of windows of 8 by 6 at five places, and of whole rows as gather_nd does.
func.func @main() -> (tensor<5xi32>, tensor<2x2x11xi32>) {
  %rows = stablehlo.constant dense<[[3, 15], [0, 7]]> : tensor<2x2xi32>
  %start_indices = stablehlo.constant dense<[[0, 0], [8, 5], [3, 2], [1, 4], [8, 0]]> : tensor<5x2xi32>
  %flat = stablehlo.iota dim = 0 : tensor<176xi32>
  %operand = stablehlo.reshape %flat : (tensor<176xi32>) -> tensor<16x11xi32>
  %windows = "stablehlo.gather"(%operand, %start_indices) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 8, 6>
  }> : (tensor<16x11xi32>, tensor<5x2xi32>) -> tensor<5x8x6xi32>
  %corners = stablehlo.slice %windows [0:5, 7:8, 5:6] : (tensor<5x8x6xi32>) -> tensor<5x1x1xi32>
  %corner = stablehlo.reshape %corners : (tensor<5x1x1xi32>) -> tensor<5xi32>
  %picked = "stablehlo.gather"(%operand, %rows) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 11>
  }> : (tensor<16x11xi32>, tensor<2x2xi32>) -> tensor<2x2x11xi32>
  check.expect_eq_const %corner, dense<[82, 175, 117, 97, 170]> : tensor<5xi32>
  check.expect_eq_const %picked, dense<[[[33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43], [165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175]], [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87]]]> : tensor<2x2x11xi32>
  return %corner, %picked : tensor<5xi32>, tensor<2x2x11xi32>
}
