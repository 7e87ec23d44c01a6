// expect: 3:33 parse "the literal has 2 bytes; tensor<2xi32> has 8, or 4 if all are the same"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<"0x0102"> : tensor<2xi32>
  return %a : tensor<2xf32>
}
