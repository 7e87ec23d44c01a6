// expect: 3:30 parse "!float is not defined"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : !float
  return %a : tensor<2xf32>
}
