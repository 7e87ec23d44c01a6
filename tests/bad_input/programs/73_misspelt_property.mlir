// expect: 4:8 structure "needs the attribute 'permutation'"
// hint: did you mean 'permutation' instead of 'permutations'?
func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.transpose"(%a) <{permutations = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
