// title: stablehlo.not
// description: For integers, every bit is inverted; for Booleans, the value is negated.
func.func @main() -> (tensor<2x2xi32>, tensor<2xi1>) {
  %operand = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %bits = stablehlo.not %operand : tensor<2x2xi32>
  %truth = stablehlo.not %p : tensor<2xi1>
  check.expect_eq_const %bits, dense<[[-2, -3], [-4, -5]]> : tensor<2x2xi32>
  check.expect_eq_const %truth, dense<[false, true]> : tensor<2xi1>
  return %bits, %truth : tensor<2x2xi32>, tensor<2xi1>
}
