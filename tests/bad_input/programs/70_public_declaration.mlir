// expect: 6:11 structure "@outside has no body, but others may call it"
// hint: add a body, or write func.func private @outside
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @outside(%a: tensor<2xf32>) -> tensor<2xf32>
