// title: stablehlo.recv
// description: Two replicas run different functions: one sends its matrix, the other waits for it and doubles it.
func.func private @sender(%operand: tensor<2x2xi64>) -> !stablehlo.token {
  %token = stablehlo.create_token : !stablehlo.token
  %sent = "stablehlo.send"(%operand, %token) <{
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>
  }> : (tensor<2x2xi64>, !stablehlo.token) -> !stablehlo.token
  return %sent : !stablehlo.token
}

func.func private @receiver() -> tensor<2x2xi64> {
  %token = stablehlo.create_token : !stablehlo.token
  %results0, %results1 = "stablehlo.recv"(%token) <{
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>
  }> : (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)
  %doubled = stablehlo.add %results0, %results0 : tensor<2x2xi64>
  return %doubled : tensor<2x2xi64>
}

func.func @main() -> tensor<2x2xi64> {
  %operand = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %token, %result = "interpreter.run_parallel"(%operand) {programs = [[@sender], [@receiver]]} : (tensor<2x2xi64>) -> (!stablehlo.token, tensor<2x2xi64>)
  check.expect_eq_const %result, dense<[[2, 4], [6, 8]]> : tensor<2x2xi64>
  return %result : tensor<2x2xi64>
}
