// expect: 3:25 structure "%a has 1 value; there is no #1"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a#1 : tensor<2xf32>
  return %a : tensor<2xf32>
}
