// expect: 3:33 parse "a literal in quotes starts with 0x and has hexadecimal digits only"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<"hello"> : tensor<2xi32>
  return %a : tensor<2xf32>
}
