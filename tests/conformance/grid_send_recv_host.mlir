// title: send_recv_host
// description: The processes share their host: what one sends to it, another receives from it, in order, and never what it has sent itself.
func.func private @giver(%operand: tensor<2xi64>) -> tensor<2xi64> {
  %token = stablehlo.after_all : !stablehlo.token
  %twice = stablehlo.add %operand, %operand : tensor<2xi64>
  %sent0 = "stablehlo.send"(%operand, %token) <{
    channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true
  }> : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
  %sent1 = "stablehlo.send"(%twice, %sent0) <{
    channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true
  }> : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
  %answer, %answered = "stablehlo.recv"(%sent1) <{
    channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true
  }> : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
  return %answer : tensor<2xi64>
}

func.func private @taker() -> (tensor<2xi64>, tensor<2xi64>) {
  %token = stablehlo.after_all : !stablehlo.token
  %first, %had0 = "stablehlo.recv"(%token) <{
    channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true
  }> : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
  %second, %had1 = "stablehlo.recv"(%had0) <{
    channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true
  }> : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
  %sum = stablehlo.add %first, %second : tensor<2xi64>
  %sent = "stablehlo.send"(%sum, %had1) <{
    channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true
  }> : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
  return %first, %second : tensor<2xi64>, tensor<2xi64>
}

func.func @main() {
  %operand = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %r:3 = "interpreter.run_parallel"(%operand) {programs = [[@giver], [@taker]]} : (tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
  check.expect_eq_const %r#0, dense<[3, 6]> : tensor<2xi64>
  check.expect_eq_const %r#1, dense<[1, 2]> : tensor<2xi64>
  check.expect_eq_const %r#2, dense<[2, 4]> : tensor<2xi64>
  return
}
