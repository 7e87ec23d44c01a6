// title: A quantized dimension that is spread
// description: One slice with its scale becomes several, each with that scale: the result gains a dimension of scales.
func.func @main() {
  %0 = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi8>
  %1 = stablehlo.bitcast_convert %0 : (tensor<1x3xi8>) -> tensor<1x3x!quant.uniform<i8:f32:0, {0.5:1}>>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1, 0] : (tensor<1x3x!quant.uniform<i8:f32:0, {0.5:1}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5:1, 0.5:1}>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<3x2x!quant.uniform<i8:f32:1, {0.5:1, 0.5:1}>>) -> tensor<3x2xf32>
  check.expect_eq_const %3, dense<[[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]]> : tensor<3x2xf32>
  return
}
