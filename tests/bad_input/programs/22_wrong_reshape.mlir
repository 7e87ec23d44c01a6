// expect: 3:8 constraint [C2] "operand has 2 elements and the result 3: their sizes are [2] and [3]"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<3xf32>
  return %a : tensor<2xf32>
}
