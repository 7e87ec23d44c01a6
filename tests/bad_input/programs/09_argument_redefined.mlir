// expect: 4:3 structure "%a is defined twice, first on line 3"
// hint: give it another name: a value is never changed
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %a = stablehlo.negate %a : tensor<2xf32>
  return %a : tensor<2xf32>
}
