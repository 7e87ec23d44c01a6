// expect: 3:8 constraint [I3] "attribute 'comparison_direction': LESS is none of EQ, NE, GE, GT, LE, LT"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.compare LESS, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %a : tensor<2xf32>
}
