// title: send_recv
// description: Two replicas on one channel: replica 0 sends its matrix, replica 1 receives it.
func.func private @sender(%operand: tensor<2x2xi64>) -> tensor<2x2xi64> {
  %token = stablehlo.after_all : !stablehlo.token
  %sent = "stablehlo.send"(%operand, %token) <{
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false,
    source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>
  }> : (tensor<2x2xi64>, !stablehlo.token) -> !stablehlo.token
  return %operand : tensor<2x2xi64>
}

func.func private @receiver(%operand: tensor<2x2xi64>) -> tensor<2x2xi64> {
  %token = stablehlo.after_all : !stablehlo.token
  %received, %done = "stablehlo.recv"(%token) <{
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false,
    source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>
  }> : (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)
  return %received : tensor<2x2xi64>
}

func.func @main() {
  %in0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %in1 = stablehlo.constant dense<0> : tensor<2x2xi64>
  %results:2 = "interpreter.run_parallel"(%in0, %in1) {programs = [[@sender], [@receiver]]} : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x2xi64>, tensor<2x2xi64>)
  check.expect_eq_const %results#0, dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  check.expect_eq_const %results#1, dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  return
}
