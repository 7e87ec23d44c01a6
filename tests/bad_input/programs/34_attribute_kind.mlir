// expect: 3:8 constraint [I1] "attribute 'iota_dimension': expected an integer"
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = "stablehlo.iota"() <{iota_dimension = "zero"}> : () -> tensor<2xf32>
  return %a : tensor<2xf32>
}
