// expect: 2:35 parse "2 bounds for a tensor of 1 dimensions"
func.func @main(%a: tensor<?xf32, #stablehlo.bounds<4, 5>>) {
  return
}
