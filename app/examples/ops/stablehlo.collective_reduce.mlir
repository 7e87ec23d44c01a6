// title: stablehlo.collective_reduce
// description: The sums over a group, for its first process alone: others get zeros.
// In a run of one process the group is the process itself.
func.func @main() -> tensor<4xi64> {
  %operand = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %result = "stablehlo.collective_reduce"(%operand) <{
    replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  }> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %sum = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %sum : tensor<i64>
  }) : (tensor<4xi64>) -> tensor<4xi64>
  check.expect_eq_const %result, dense<[1, 2, 3, 4]> : tensor<4xi64>
  return %result : tensor<4xi64>
}
