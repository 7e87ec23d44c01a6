// expect: 3:8 constraint [C10] "contracting dimensions have sizes [2] in lhs, but [3] in rhs"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<3xf32>) -> tensor<f32>
  return %a : tensor<2xf32>
}
