// expect: 3:8 constraint [C5] "dimension 0 of operand (size 2) cannot be spread over dimension 0 of the result (size 3)"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xf32>) -> tensor<3x2xf32>
  return %a : tensor<2xf32>
}
