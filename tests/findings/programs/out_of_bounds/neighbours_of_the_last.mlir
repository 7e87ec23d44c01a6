// title: Differences of neighbours, each with the next
// fault: the last element has no next: index 5 of five elements is read as 4
// inputs: [1, 3, 6, 10, 15]
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %one = stablehlo.constant dense<1> : tensor<5xi32>
  %last = stablehlo.constant dense<4> : tensor<5xi32>
  %places = stablehlo.iota dim = 0 : tensor<5xi32>
  %next = stablehlo.add %places, %one : tensor<5xi32>
  %within = stablehlo.minimum %next, %last : tensor<5xi32>
  %vectors = stablehlo.reshape %next : (tensor<5xi32>) -> tensor<5x1xi32> // faulty
  %vectors = stablehlo.reshape %within : (tensor<5xi32>) -> tensor<5x1xi32> // sound
  %nexts = "stablehlo.gather"(%x, %vectors) <{ // FAULT
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1>
  }> : (tensor<5xf32>, tensor<5x1xi32>) -> tensor<5xf32>
  %differences = stablehlo.subtract %nexts, %x : tensor<5xf32>
  return %differences : tensor<5xf32>
}
