// expect: 3:8 constraint [C2] "permutation [1] does not name each of operand's 1 dimensions once"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.transpose %a, dims = [1] : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
