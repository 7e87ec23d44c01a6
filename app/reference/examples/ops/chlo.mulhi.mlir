// title: chlo.mulhi
// description: The upper half of the product, which multiply drops.
func.func @main() -> tensor<3xi32> {
  %lhs = stablehlo.constant dense<[2147483647, -1, 65536]> : tensor<3xi32>
  %rhs = stablehlo.constant dense<[2, 1, 65536]> : tensor<3xi32>
  %result = chlo.mulhi %lhs, %rhs : tensor<3xi32>, tensor<3xi32> -> tensor<3xi32>
  check.expect_eq_const %result, dense<[0, -1, 1]> : tensor<3xi32>
  return %result : tensor<3xi32>
}
