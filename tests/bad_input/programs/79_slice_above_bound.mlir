// expect: 3:8 constraint [C3] "dimension 1: [0:5] is no range within size 4"
func.func @main(%a: tensor<3x?xf32, #stablehlo.bounds<?, 4>>) {
  %0 = stablehlo.slice %a [0:3, 0:5] : (tensor<3x?xf32, #stablehlo.bounds<?, 4>>) -> tensor<3x5xf32>
  return
}
