// expect: 3:8 constraint "the result has an unknown size; dynamic_iota takes it as an operand"
func.func @main() {
  %0 = stablehlo.iota dim = 0 : tensor<?xf32>
  return
}
