// How bits become numbers in [-1, 1).
func.func @main(%bits: tensor<4xui32>) -> tensor<4xf32> {
  %nine = stablehlo.constant dense<9> : tensor<4xui32>
  %fraction = stablehlo.shift_right_logical %bits, %nine : tensor<4xui32>
  %bits_of_one = stablehlo.constant dense<0x3F800000> : tensor<4xui32>
  %pattern = stablehlo.or %fraction, %bits_of_one : tensor<4xui32>
  %from_one = stablehlo.bitcast_convert %pattern : (tensor<4xui32>) -> tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %from_zero = stablehlo.subtract %from_one, %one : tensor<4xf32>
  %doubled = stablehlo.add %from_zero, %from_zero : tensor<4xf32>
  %uniform = stablehlo.subtract %doubled, %one : tensor<4xf32>
  return %uniform : tensor<4xf32>
}
