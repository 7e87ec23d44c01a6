// title: XLA: gather_dimensions
// description: Gather with a table of indices, and one that drops dimensions 0 and 2 of six: the offsets are dimensions 1, 3, 4 and 5.
func.func @main() -> (tensor<4x5xi32>, tensor<2x2x2x1x2xi32>) {
  %start_indices = stablehlo.constant dense<[[[0, 0], [0, 1], [0, 2], [0, 3], [0, 4]], [[2, 0], [2, 1], [2, 2], [2, 3], [2, 4]], [[4, 0], [4, 1], [4, 2], [4, 3], [4, 4]], [[6, 0], [6, 1], [6, 2], [6, 3], [6, 4]]]> : tensor<4x5x2xi32>
  %pairs = stablehlo.constant dense<[[1, 2], [0, 1]]> : tensor<2x2xi32>
  %flat = stablehlo.iota dim = 0 : tensor<176xi32>
  %operand = stablehlo.reshape %flat : (tensor<176xi32>) -> tensor<16x11xi32>
  %windows = "stablehlo.gather"(%operand, %start_indices) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], start_index_map = [0, 1], index_vector_dim = 2>,
    slice_sizes = array<i64: 8, 6>
  }> : (tensor<16x11xi32>, tensor<4x5x2xi32>) -> tensor<4x5x8x6xi32>
  %corners = stablehlo.slice %windows [0:4, 0:5, 7:8, 5:6] : (tensor<4x5x8x6xi32>) -> tensor<4x5x1x1xi32>
  %corner = stablehlo.reshape %corners : (tensor<4x5x1x1xi32>) -> tensor<4x5xi32>
  %counted = stablehlo.iota dim = 0 : tensor<48xi32>
  %six = stablehlo.reshape %counted : (tensor<48xi32>) -> tensor<2x2x3x2x1x2xi32>
  %picked = "stablehlo.gather"(%six, %pairs) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3, 4], collapsed_slice_dims = [0, 2], start_index_map = [0, 2], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2, 1, 2, 1, 2>
  }> : (tensor<2x2x3x2x1x2xi32>, tensor<2x2xi32>) -> tensor<2x2x2x1x2xi32>
  check.expect_eq_const %corner, dense<[[82, 83, 84, 85, 86], [104, 105, 106, 107, 108], [126, 127, 128, 129, 130], [148, 149, 150, 151, 152]]> : tensor<4x5xi32>
  check.expect_eq_const %picked, dense<[[[[[32, 33]], [[34, 35]]], [[[44, 45]], [[46, 47]]]], [[[[4, 5]], [[6, 7]]], [[[16, 17]], [[18, 19]]]]]> : tensor<2x2x2x1x2xi32>
  return %corner, %picked : tensor<4x5xi32>, tensor<2x2x2x1x2xi32>
}
