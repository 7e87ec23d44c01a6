// expect: 4:33 parse "'true' is not an integer, which i32 needs"
// hint: booleans are elements of i1
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<true> : tensor<2xi32>
  return %a : tensor<2xf32>
}
