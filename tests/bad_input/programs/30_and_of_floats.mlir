// expect: 3:8 constraint [I1] "lhs must hold boolean or integer elements, not f32"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.and %a, %a : tensor<2xf32>
  return %a : tensor<2xf32>
}
