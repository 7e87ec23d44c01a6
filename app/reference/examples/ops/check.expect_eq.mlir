// title: check.expect_eq
// description: Two ways to compute one thing must agree in every element.
func.func @main() -> tensor<3xi32> {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %sum = stablehlo.add %x, %x : tensor<3xi32>
  %two = stablehlo.constant dense<2> : tensor<3xi32>
  %product = stablehlo.multiply %x, %two : tensor<3xi32>
  check.expect_eq %sum, %product : tensor<3xi32>
  return %sum : tensor<3xi32>
}
