// expect: 3:8 structure "calls @f as (tensor<3xf32>) -> tensor<2xf32>, but its type is (tensor<2xf32>) -> tensor<2xf32>"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = call @f(%b) : (tensor<3xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
