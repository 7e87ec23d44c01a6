// title: sdy.sharding_group
// description: Two tensors that must have the same sharding.
func.func @main() -> tensor<4xi32> {
  %lhs = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %rhs = stablehlo.negate %lhs : tensor<4xi32>
  sdy.sharding_group %lhs group_id=1 : tensor<4xi32>
  sdy.sharding_group %rhs group_id=1 : tensor<4xi32>
  check.expect_eq_const %rhs, dense<[-1, -2, -3, -4]> : tensor<4xi32>
  return %rhs : tensor<4xi32>
}
