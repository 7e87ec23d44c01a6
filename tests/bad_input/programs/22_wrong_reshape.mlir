// expect: 3:8 constraint [C2] "operand and result differ in their number of elements: [2] and [3]"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<3xf32>
  return %a : tensor<2xf32>
}
