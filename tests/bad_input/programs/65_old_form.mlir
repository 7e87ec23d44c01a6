// expect: 4:8 parse "unknown op 'xla_hlo.negate'"
// hint: did you mean 'stablehlo.negate'?
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = xla_hlo.negate %a : tensor<2xf32>
  return %a : tensor<2xf32>
}
