// expect: 3:8 constraint [C10] "dimension 0 of lhs (size 2) and dimension 0 of rhs (size 3) are contracted but differ"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<3xf32>) -> tensor<f32>
  return %a : tensor<2xf32>
}
