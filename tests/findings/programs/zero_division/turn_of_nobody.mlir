// title: Whose turn it is in each group, by the number of the round
// fault: the second group has no members: 5 modulo 0 is 5, and member 5 is read
// inputs faulty: iota; [4, 0]
// inputs sound: iota; [4, 3]
func.func @main(%names: tensor<6xf32>, %members: tensor<2xi32>) -> tensor<2xf32> {
  %round = stablehlo.constant dense<5> : tensor<2xi32>
  %turn = stablehlo.remainder %round, %members : tensor<2xi32> // FAULT
  %places = stablehlo.reshape %turn : (tensor<2xi32>) -> tensor<2x1xi32>
  %taken = "stablehlo.gather"(%names, %places) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<6xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  return %taken : tensor<2xf32>
}
