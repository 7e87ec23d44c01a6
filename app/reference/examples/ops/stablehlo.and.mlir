// title: stablehlo.and
// description: Bitwise for integers, the logical and for Booleans.
func.func @main() -> (tensor<2x2xi32>, tensor<2x2xi1>) {
  %lhs = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %rhs = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %p = stablehlo.constant dense<[[false, false], [true, true]]> : tensor<2x2xi1>
  %q = stablehlo.constant dense<[[false, true], [false, true]]> : tensor<2x2xi1>
  %bits = stablehlo.and %lhs, %rhs : tensor<2x2xi32>
  %truth = stablehlo.and %p, %q : tensor<2x2xi1>
  check.expect_eq_const %bits, dense<[[1, 2], [3, 0]]> : tensor<2x2xi32>
  check.expect_eq_const %truth, dense<[[false, false], [false, true]]> : tensor<2x2xi1>
  return %bits, %truth : tensor<2x2xi32>, tensor<2x2xi1>
}
