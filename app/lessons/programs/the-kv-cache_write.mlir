// One step of decoding: write the new key into the cache,
// and score the query against the keys so far.
func.func @main(%cache: tensor<4x2xf32>, %key: tensor<1x2xf32>, %query: tensor<2xf32>,
    %position: tensor<i32>) -> (tensor<4x2xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %written = stablehlo.dynamic_update_slice %cache, %key, %position, %zero
      : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
  %raw = stablehlo.dot_general %written, %query, contracting_dims = [1] x [0]
      : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %rows = stablehlo.iota dim = 0 : tensor<4xi32>
  %last = stablehlo.broadcast_in_dim %position, dims = [] : (tensor<i32>) -> tensor<4xi32>
  %seen = stablehlo.compare LE, %rows, %last, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %never = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
  %scores = stablehlo.select %seen, %raw, %never : tensor<4xi1>, tensor<4xf32>
  return %written, %scores : tensor<4x2xf32>, tensor<4xf32>
}
