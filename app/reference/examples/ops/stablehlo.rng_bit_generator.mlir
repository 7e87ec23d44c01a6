// title: stablehlo.rng_bit_generator
// description: Two calls of the generator with the same state return the same bits.
func.func @main() -> (tensor<2xui64>, tensor<2x2xui64>) {
  %initial_state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %output_state, %output = stablehlo.rng_bit_generator %initial_state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui64>)
  check.expect_eq_const %output_state, dense<[1, 6]> : tensor<2xui64>
  check.expect_eq_const %output, dense<[[9236835810183407956, 16087790271692313299], [18212823393184779219, 2658481902456610144]]> : tensor<2x2xui64>
  return %output_state, %output : tensor<2xui64>, tensor<2x2xui64>
}
