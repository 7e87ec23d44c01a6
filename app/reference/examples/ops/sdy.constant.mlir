// title: sdy.constant
// description: A literal; each use may have its own sharding.
func.func @main() -> tensor<4xi32> {
  %result = sdy.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  check.expect_eq_const %result, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %result : tensor<4xi32>
}
