// expect: 4:8 parse "unknown op 'stablehlo.sbtract'"
// hint: did you mean 'stablehlo.subtract'?
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.sbtract %a, %a : tensor<2xf32>
  return %a : tensor<2xf32>
}
