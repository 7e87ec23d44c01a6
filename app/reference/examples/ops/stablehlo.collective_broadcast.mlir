// title: stablehlo.collective_broadcast
// description: Every process of the group gets the tensor of the first one, here replica 2; processes outside a group get zeros.
func.func private @process(%operand: tensor<1x2xi64>) -> tensor<1x2xi64> {
  %result = "stablehlo.collective_broadcast"(%operand) <{
    replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  }> : (tensor<1x2xi64>) -> tensor<1x2xi64>
  return %result : tensor<1x2xi64>
}

func.func @main() -> (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>) {
  %in0 = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi64>
  %in1 = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi64>
  %in2 = stablehlo.constant dense<[[5, 6]]> : tensor<1x2xi64>
  %in3 = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi64>
  %results:4 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3) {programs = [[@process], [@process], [@process], [@process]]}
    : (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>) -> (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>)
  check.expect_eq_const %results#0, dense<[[0, 0]]> : tensor<1x2xi64>
  check.expect_eq_const %results#1, dense<[[5, 6]]> : tensor<1x2xi64>
  check.expect_eq_const %results#2, dense<[[5, 6]]> : tensor<1x2xi64>
  check.expect_eq_const %results#3, dense<[[0, 0]]> : tensor<1x2xi64>
  return %results#0, %results#1, %results#2, %results#3 : tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>
}
