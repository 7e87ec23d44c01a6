// expect: 3:33 parse "the literal has 3 elements, tensor<2xi32> has 2"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi32>
  return %a : tensor<2xf32>
}
