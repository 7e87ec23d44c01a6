// expect: 3:3 structure "@main returns (tensor<3xf32>), but its signature promises (tensor<2xf32>)"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  return %b : tensor<3xf32>
}
