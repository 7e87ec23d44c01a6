// The sliding window of a long text: token number %token
// is written into a cache with room for four.
func.func @main(%cache: tensor<4x2xf32>, %key: tensor<1x2xf32>, %token: tensor<i32>) -> tensor<4x2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %written = stablehlo.dynamic_update_slice %cache, %key, %token, %zero
      : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
  return %written : tensor<4x2xf32>
}
