// expect: 3:10 structure "has one result, not 2"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0:2 = stablehlo.negate %a : tensor<2xf32>
  return %a : tensor<2xf32>
}
