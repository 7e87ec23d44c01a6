// expect: 4:22 constraint [I1] "operand must be a tensor with a rank, not tensor<*xf32>"
// hint: state the rank and leave the sizes open, as in tensor<?x?xf32>
func.func @main(%a: tensor<*xf32>) -> tensor<*xf32> {
  %0 = stablehlo.abs %a : tensor<*xf32>
  return %0 : tensor<*xf32>
}
