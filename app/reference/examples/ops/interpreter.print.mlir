// title: interpreter.print
// description: Prints a value to the console.
func.func @main() -> tensor<3xi32> {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  interpreter.print %x : tensor<3xi32>
  %sum = stablehlo.add %x, %x : tensor<3xi32>
  interpreter.print %sum : tensor<3xi32>
  check.expect_eq_const %sum, dense<[2, 4, 6]> : tensor<3xi32>
  return %sum : tensor<3xi32>
}
