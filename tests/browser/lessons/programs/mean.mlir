func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<3xf32>
  %1 = stablehlo.constant dense<3.0> : tensor<3xf32>
  %2 = stablehlo.divide %0, %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}
