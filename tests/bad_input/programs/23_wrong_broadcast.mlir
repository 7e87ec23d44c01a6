// expect: 3:8 constraint [C5] "operand sizes [2] are neither 1 nor the result's [3]"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xf32>) -> tensor<3x2xf32>
  return %a : tensor<2xf32>
}
