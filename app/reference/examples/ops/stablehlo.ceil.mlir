// title: stablehlo.ceil
// description: Each number is rounded up to the next integer; numbers between -1 and 0 become -0.
func.func @main() -> tensor<5xf32> {
  %operand = stablehlo.constant dense<[-0.8166, -0.2530, 0.2530, 0.8166, 2.0]> : tensor<5xf32>
  %result = stablehlo.ceil %operand : tensor<5xf32>
  check.expect_eq_const %result, dense<[-0.0, -0.0, 1.0, 1.0, 2.0]> : tensor<5xf32>
  return %result : tensor<5xf32>
}
