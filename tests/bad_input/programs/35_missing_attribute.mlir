// expect: 3:8 structure "needs the attribute 'iota_dimension'"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = "stablehlo.iota"() : () -> tensor<2xf32>
  return %a : tensor<2xf32>
}
