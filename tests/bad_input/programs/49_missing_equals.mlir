// expect: 3:6 parse "expected '=' and an operation, found 'stablehlo.negate'"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 stablehlo.negate %a : tensor<2xf32>
  return %a : tensor<2xf32>
}
