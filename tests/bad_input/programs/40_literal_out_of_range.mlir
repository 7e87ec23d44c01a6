// expect: 4:33 parse "300 does not fit in i8"
// hint: its values are -128 to 127
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<300> : tensor<2xi8>
  return %a : tensor<2xf32>
}
