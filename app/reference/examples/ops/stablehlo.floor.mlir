// title: stablehlo.floor
// description: Each number is rounded down to the next integer.
func.func @main() -> tensor<5xf32> {
  %operand = stablehlo.constant dense<[-0.8166, -0.2530, 0.2530, 0.8166, 2.0]> : tensor<5xf32>
  %result = stablehlo.floor %operand : tensor<5xf32>
  check.expect_eq_const %result, dense<[-1.0, -1.0, 0.0, 0.0, 2.0]> : tensor<5xf32>
  return %result : tensor<5xf32>
}
