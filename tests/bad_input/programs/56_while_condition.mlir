// expect: 3:8 constraint [C1] "cond must be (tensor<i32>) -> tensor<i1>, not (tensor<i32>) -> tensor<i32>"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.while(%x = %i) : tensor<i32>
  cond {
    stablehlo.return %x : tensor<i32>
  } do {
    stablehlo.return %x : tensor<i32>
  }
  return %a : tensor<2xf32>
}
