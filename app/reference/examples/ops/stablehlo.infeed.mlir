// title: stablehlo.infeed
// description: Reads values from a queue in order; here two functions produce the items of the queue.
func.func private @process() -> (tensor<2x2xi64>, tensor<2x2xi64>) {
  %token = stablehlo.create_token : !stablehlo.token
  %results0:2 = "stablehlo.infeed"(%token) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)
  %results1:2 = "stablehlo.infeed"(%results0#1) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)
  return %results0#0, %results1#0 : tensor<2x2xi64>, tensor<2x2xi64>
}

func.func private @first() -> tensor<2x2xi64> {
  %value = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  return %value : tensor<2x2xi64>
}

func.func private @second() -> tensor<2x2xi64> {
  %value = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
  return %value : tensor<2x2xi64>
}

func.func @main() -> (tensor<2x2xi64>, tensor<2x2xi64>) {
  %results:2 = "interpreter.run_parallel"() {infeed = [@first, @second], programs = [[@process]]} : () -> (tensor<2x2xi64>, tensor<2x2xi64>)
  check.expect_eq_const %results#0, dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  check.expect_eq_const %results#1, dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
  return %results#0, %results#1 : tensor<2x2xi64>, tensor<2x2xi64>
}
