// expect: 3:33 parse "'1.5' is not an integer, which i32 needs"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<1.5> : tensor<2xi32>
  return %a : tensor<2xf32>
}
