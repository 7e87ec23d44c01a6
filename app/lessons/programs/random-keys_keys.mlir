// Three draws of four numbers: the first two with the same state.
func.func @main(%key: tensor<2xui64>) -> (tensor<4xui32>, tensor<4xui32>, tensor<4xui32>) {
  %next, %first = stablehlo.rng_bit_generator %key, algorithm = THREE_FRY
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %again, %second = stablehlo.rng_bit_generator %key, algorithm = THREE_FRY
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %later, %third = stablehlo.rng_bit_generator %next, algorithm = THREE_FRY
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return %first, %second, %third : tensor<4xui32>, tensor<4xui32>, tensor<4xui32>
}
