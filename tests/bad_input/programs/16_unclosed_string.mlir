// expect: 4:36 parse "this string is not closed"
// hint: add a " on line 4, where it was opened
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a {note = "open} : tensor<2xf32>
  return %a : tensor<2xf32>
}
