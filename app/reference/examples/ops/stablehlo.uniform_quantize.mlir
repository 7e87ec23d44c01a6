// title: stablehlo.uniform_quantize
// description: Floating point to 8 bits, and then to other scales and zero points.
func.func @main() -> (tensor<2xi8>, tensor<2xi8>) {
  %operand = stablehlo.constant dense<[4.0, 15.0]> : tensor<2xf32>
  %result = stablehlo.uniform_quantize %operand : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>
  %other = stablehlo.uniform_quantize %result : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}>>
  %stored = stablehlo.bitcast_convert %result : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2xi8>
  %stored_other = stablehlo.bitcast_convert %other : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}>>) -> tensor<2xi8>
  check.expect_eq_const %stored, dense<[10, 10]> : tensor<2xi8>
  check.expect_eq_const %stored_other, dense<[20, 45]> : tensor<2xi8>
  return %stored, %stored_other : tensor<2xi8>, tensor<2xi8>
}
