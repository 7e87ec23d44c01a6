// title: chlo.constant
// description: A constant of this dialect.
func.func @main() -> tensor<2xf32> {
  %result = chlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_eq_const %result, dense<[1.0, 2.0]> : tensor<2xf32>
  return %result : tensor<2xf32>
}
