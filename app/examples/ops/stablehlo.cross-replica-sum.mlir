// title: stablehlo.cross-replica-sum
// description: The sum over the replicas of the group; older programs have it.
func.func @main() -> tensor<2xf32> {
  %operand = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xf32>
  %result = "stablehlo.cross-replica-sum"(%operand) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %result, dense<[1.0, 2.5]> : tensor<2xf32>
  return %result : tensor<2xf32>
}
