// title: stablehlo.xor
// description: Bitwise for integers; for Booleans, whether they differ.
func.func @main() -> (tensor<2x2xi32>, tensor<2x2xi1>) {
  %lhs = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %rhs = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %p = stablehlo.constant dense<[[false, false], [true, true]]> : tensor<2x2xi1>
  %q = stablehlo.constant dense<[[false, true], [false, true]]> : tensor<2x2xi1>
  %bits = stablehlo.xor %lhs, %rhs : tensor<2x2xi32>
  %truth = stablehlo.xor %p, %q : tensor<2x2xi1>
  check.expect_eq_const %bits, dense<[[4, 4], [4, 12]]> : tensor<2x2xi32>
  check.expect_eq_const %truth, dense<[[false, true], [true, false]]> : tensor<2x2xi1>
  return %bits, %truth : tensor<2x2xi32>, tensor<2x2xi1>
}
