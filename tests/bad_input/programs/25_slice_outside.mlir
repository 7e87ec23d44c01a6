// expect: 3:8 constraint [C3] "dimension 0: [0:5] is no range within size 2"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.slice %a [0:5] : (tensor<2xf32>) -> tensor<5xf32>
  return %a : tensor<2xf32>
}
