// expect: 2:47 constraint [C3] "storage_min and storage_max must be in order and within -128 to 127, not 5 and 5"
func.func @main(%a: tensor<2x!quant.uniform<i8<5:5>:f32, 1.0>>) {
  return
}
