// expect: 3:91 constraint [C5] "a scale must be above 0 in f32, not 0.0"
func.func @main(%a: tensor<2xf32>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.0:1>>
  return
}
