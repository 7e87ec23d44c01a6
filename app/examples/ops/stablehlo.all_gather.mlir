// title: stablehlo.all_gather
// description: What every process of the group has, side by side.
// The specification's example is for several processes; in a run of one the group is the process itself.
func.func @main() -> (tensor<2x2xi64>, tensor<2x2xi64>) {
  %operand0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %operand1 = stablehlo.constant dense<[[11, 12], [13, 14]]> : tensor<2x2xi64>
  %result0, %result1 = "stablehlo.all_gather"(%operand0, %operand1) <{
    all_gather_dim = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  }> : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x2xi64>, tensor<2x2xi64>)
  check.expect_eq_const %result0, dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  check.expect_eq_const %result1, dense<[[11, 12], [13, 14]]> : tensor<2x2xi64>
  return %result0, %result1 : tensor<2x2xi64>, tensor<2x2xi64>
}
