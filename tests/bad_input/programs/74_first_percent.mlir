// expect: 4:22 parse "expected an operand, found 'a'"
// hint: did you mean '%a'?
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
