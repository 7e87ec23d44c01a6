// expect: 3:8 constraint [C1] "iota_dimension 1 is outside rank 1"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.iota dim = 1 : tensor<2xf32>
  return %a : tensor<2xf32>
}
