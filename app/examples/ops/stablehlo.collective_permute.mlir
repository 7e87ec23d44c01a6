// title: stablehlo.collective_permute
// description: A process that nobody sends to gets zeros; this one sends to itself first, then to nobody.
// The specification's example is for several processes; in a run of one the group is the process itself.
func.func @main() -> (tensor<2x2xi64>, tensor<2x2xi64>) {
  %operand = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %sent = "stablehlo.collective_permute"(%operand) <{
    source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  }> : (tensor<2x2xi64>) -> tensor<2x2xi64>
  %unsent = "stablehlo.collective_permute"(%operand) <{
    source_target_pairs = dense<> : tensor<0x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  }> : (tensor<2x2xi64>) -> tensor<2x2xi64>
  check.expect_eq_const %sent, dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  check.expect_eq_const %unsent, dense<0> : tensor<2x2xi64>
  return %sent, %unsent : tensor<2x2xi64>, tensor<2x2xi64>
}
