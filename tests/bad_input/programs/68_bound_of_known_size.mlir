// expect: 3:35 parse "dimension 0 has size 2; only '?' has a bound"
// hint: the bound of a static size is '?'
func.func @main(%a: tensor<2xf32, #stablehlo.bounds<4>>) {
  return
}
