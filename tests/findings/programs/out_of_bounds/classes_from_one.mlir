// title: The loss of labels, as jnp.take_along_axis looks them up
// fault: label 3 of three classes; JAX takes NaN in the place of what is read there
// inputs faulty: normal[2, 3]; [1, 3]
// inputs sound: normal[2, 3]; [0, 2]
func.func @main(%logs: tensor<2x3xf32>, %labels: tensor<2xi32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<2xf32>
  %first = stablehlo.constant dense<0> : tensor<2xi32>
  %last = stablehlo.constant dense<2> : tensor<2xi32>
  %rows = stablehlo.iota dim = 0 : tensor<2x1xi32>
  %columns = stablehlo.reshape %labels : (tensor<2xi32>) -> tensor<2x1xi32>
  %vectors = stablehlo.concatenate %rows, %columns, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  %above = stablehlo.compare GE, %labels, %first : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %below = stablehlo.compare LE, %labels, %last : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %known = stablehlo.and %above, %below : tensor<2xi1>
  %read = "stablehlo.gather"(%logs, %vectors) <{ // FAULT
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>
  }> : (tensor<2x3xf32>, tensor<2x2xi32>) -> tensor<2xf32>
  %own = stablehlo.select %known, %read, %nan : tensor<2xi1>, tensor<2xf32>
  %sum = stablehlo.reduce(%own init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %loss = stablehlo.negate %sum : tensor<f32>
  return %loss : tensor<f32>
}
