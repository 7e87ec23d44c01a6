// expect: 5:3 structure "%0 is defined twice, first on line 4"
// hint: give it another name: a value is never changed
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<2xf32>
  %0 = stablehlo.abs %a : tensor<2xf32>
  return %a : tensor<2xf32>
}
