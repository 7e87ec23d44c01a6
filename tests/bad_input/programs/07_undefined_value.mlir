// expect: 3:26 structure "%c is not defined"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %c : tensor<2xf32>
  return %a : tensor<2xf32>
}
