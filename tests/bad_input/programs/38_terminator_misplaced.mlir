// expect: 4:3 structure "func.return stands before the end of the body of @main"
// hint: nothing may follow it
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
  %0 = stablehlo.negate %a : tensor<2xf32>
  return %a : tensor<2xf32>
}
