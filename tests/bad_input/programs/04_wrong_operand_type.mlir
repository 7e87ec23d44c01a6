// expect: 4:26 structure "%b is tensor<3xf32>, but its type is stated as tensor<2xf32>"
// hint: it is defined on line 3
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  return %a : tensor<2xf32>
}
