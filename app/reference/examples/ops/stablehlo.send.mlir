// title: stablehlo.send
// description: A chain of three processes: each sends its matrix to the next one, and then receives that of the previous one.
func.func private @process(%operand: tensor<2x2xi64>) -> tensor<2x2xi64> {
  %token = stablehlo.create_token : !stablehlo.token
  %result = "stablehlo.send"(%operand, %token) <{
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>
  }> : (tensor<2x2xi64>, !stablehlo.token) -> !stablehlo.token
  %received, %done = "stablehlo.recv"(%result) <{
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>
  }> : (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)
  return %received : tensor<2x2xi64>
}

func.func @main() -> (tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>) {
  %in0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %in1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
  %in2 = stablehlo.constant dense<[[9, 9], [9, 9]]> : tensor<2x2xi64>
  %results:3 = "interpreter.run_parallel"(%in0, %in1, %in2) {programs = [[@process], [@process], [@process]]} : (tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>)
  check.expect_eq_const %results#0, dense<0> : tensor<2x2xi64>
  check.expect_eq_const %results#1, dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  check.expect_eq_const %results#2, dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
  return %results#0, %results#1, %results#2 : tensor<2x2xi64>, tensor<2x2xi64>, tensor<2x2xi64>
}
