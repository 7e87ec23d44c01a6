// expect: 3:8 structure "takes 2 operands (lhs, rhs), not 1"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a : tensor<2xf32>
  return %a : tensor<2xf32>
}
