// Six numbers in two formats of 8 bits, and back.
func.func @main(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %narrow = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xf8E4M3FN>
  %e4m3 = stablehlo.convert %narrow : (tensor<6xf8E4M3FN>) -> tensor<6xf32>
  %wide = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xf8E5M2>
  %e5m2 = stablehlo.convert %wide : (tensor<6xf8E5M2>) -> tensor<6xf32>
  return %e4m3, %e5m2 : tensor<6xf32>, tensor<6xf32>
}
