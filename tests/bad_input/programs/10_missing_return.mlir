// expect: 5:1 structure "the body of @main does not end with `return`"
// hint: end it with `return …`, which returns its results
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<2xf32>
}
