// expect: 4:8 structure "unknown op 'stablehlo.foo'"
// hint: did you mean 'stablehlo.floor'?
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = "stablehlo.foo"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
