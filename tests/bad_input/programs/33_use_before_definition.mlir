// expect: 4:25 structure "%1 is used before it is defined, on line 5"
// hint: move the definition above its first use
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %1 : tensor<2xf32>
  %1 = stablehlo.abs %a : tensor<2xf32>
  return %a : tensor<2xf32>
}
