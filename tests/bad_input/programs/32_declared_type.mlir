// expect: 4:25 structure "%a is tensor<2xf32>, but its type is stated as tensor<2xf64>"
// hint: it is defined on line 3
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<2xf64>
  return %a : tensor<2xf32>
}
