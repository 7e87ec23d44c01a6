// title: stablehlo.send
// description: Sends to other processes; with no other process the run stops here and says so.
// stops: another process on channel 0
func.func @main() -> !stablehlo.token {
  %operand = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %token = stablehlo.create_token : !stablehlo.token
  %result = "stablehlo.send"(%operand, %token) <{
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>
  }> : (tensor<2x2xi64>, !stablehlo.token) -> !stablehlo.token
  return %result : !stablehlo.token
}
