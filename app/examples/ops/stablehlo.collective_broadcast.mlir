// title: stablehlo.collective_broadcast
// description: Every process of the group gets what the first one has.
// The specification's example is for several processes; in a run of one the group is the process itself.
func.func @main() -> tensor<1x2xi64> {
  %operand = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi64>
  %result = "stablehlo.collective_broadcast"(%operand) <{
    replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  }> : (tensor<1x2xi64>) -> tensor<1x2xi64>
  check.expect_eq_const %result, dense<[[1, 2]]> : tensor<1x2xi64>
  return %result : tensor<1x2xi64>
}
