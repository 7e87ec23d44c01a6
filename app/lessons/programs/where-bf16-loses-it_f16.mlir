// For n = 0, 1, 2, … 4095, in f16: is n + 1 the same
// number as n?
func.func @main() -> tensor<4096xi1> {
  %numbers = stablehlo.iota dim = 0 : tensor<4096xi32>
  %n = stablehlo.convert %numbers : (tensor<4096xi32>) -> tensor<4096xf16>
  %one = stablehlo.constant dense<1.0> : tensor<4096xf16>
  %more = stablehlo.add %n, %one : tensor<4096xf16>
  %stuck = stablehlo.compare EQ, %more, %n, FLOAT : (tensor<4096xf16>, tensor<4096xf16>) -> tensor<4096xi1>
  return %stuck : tensor<4096xi1>
}
