// expect: 3:8 constraint "the result has a size that is not known; dynamic_iota is told it"
func.func @main() {
  %0 = stablehlo.iota dim = 0 : tensor<?xf32>
  return
}
