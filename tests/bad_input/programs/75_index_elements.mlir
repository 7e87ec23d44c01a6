// expect: 3:8 constraint "index is not an element type of StableHLO"
func.func @main(%a: tensor<2x3xindex>) -> tensor<6xindex> {
  %0 = stablehlo.reshape %a : (tensor<2x3xindex>) -> tensor<6xindex>
  return %0 : tensor<6xindex>
}
