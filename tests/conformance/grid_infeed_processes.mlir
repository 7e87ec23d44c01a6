// title: infeed_processes
// description: Two processes take from one queue; a message between them says who comes first.
func.func private @one() -> (tensor<i64>, tensor<2xi64>) {
  %n = stablehlo.constant dense<1> : tensor<i64>
  %x = stablehlo.constant dense<[10, 11]> : tensor<2xi64>
  return %n, %x : tensor<i64>, tensor<2xi64>
}

func.func private @two() -> (tensor<i64>, tensor<2xi64>) {
  %n = stablehlo.constant dense<2> : tensor<i64>
  %x = stablehlo.constant dense<[20, 21]> : tensor<2xi64>
  return %n, %x : tensor<i64>, tensor<2xi64>
}

func.func private @after() -> (tensor<i64>, tensor<2xi64>) {
  %token = stablehlo.create_token : !stablehlo.token
  %told = "stablehlo.recv"(%token) <{
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>
  }> : (!stablehlo.token) -> !stablehlo.token
  %r:3 = "stablehlo.infeed"(%told) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<i64>, tensor<2xi64>, !stablehlo.token)
  return %r#0, %r#1 : tensor<i64>, tensor<2xi64>
}

func.func private @before() -> (tensor<i64>, tensor<2xi64>) {
  %token = stablehlo.create_token : !stablehlo.token
  %r:3 = "stablehlo.infeed"(%token) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<i64>, tensor<2xi64>, !stablehlo.token)
  %told = "stablehlo.send"(%r#2) <{
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>
  }> : (!stablehlo.token) -> !stablehlo.token
  return %r#0, %r#1 : tensor<i64>, tensor<2xi64>
}

func.func @main() {
  %r:4 = "interpreter.run_parallel"() {infeed = [@one, @two], programs = [[@after], [@before]]} : () -> (tensor<i64>, tensor<2xi64>, tensor<i64>, tensor<2xi64>)
  check.expect_eq_const %r#0, dense<2> : tensor<i64>
  check.expect_eq_const %r#1, dense<[20, 21]> : tensor<2xi64>
  check.expect_eq_const %r#2, dense<1> : tensor<i64>
  check.expect_eq_const %r#3, dense<[10, 11]> : tensor<2xi64>
  return
}
