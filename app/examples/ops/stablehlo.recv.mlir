// title: stablehlo.recv
// description: Waits for another process; with no other process the run stops here and says so.
// stops: another process on channel 0
func.func @main() -> (tensor<2x2xi64>, !stablehlo.token) {
  %token = stablehlo.create_token : !stablehlo.token
  %results0, %results1 = "stablehlo.recv"(%token) <{
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>
  }> : (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)
  return %results0, %results1 : tensor<2x2xi64>, !stablehlo.token
}
