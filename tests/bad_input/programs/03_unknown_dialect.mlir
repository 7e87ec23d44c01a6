// expect: 4:8 parse "unknown op 'linalg.matmul'"
// hint: ops of the dialect 'linalg' are unknown
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = linalg.matmul %a, %a : tensor<2xf32>
  return %a : tensor<2xf32>
}
