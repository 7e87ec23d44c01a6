// expect: 3:33 parse "'1.0.0' is not a number, which f32 needs"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<1.0.0> : tensor<2xf32>
  return %a : tensor<2xf32>
}
