// title: stablehlo.collective_reduce
// description: The sums over a group, only for its first process, here replica 1: the others get zeros.
func.func private @process(%operand: tensor<4xi64>) -> tensor<4xi64> {
  %result = "stablehlo.collective_reduce"(%operand) <{
    replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  }> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %sum = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %sum : tensor<i64>
  }) : (tensor<4xi64>) -> tensor<4xi64>
  return %result : tensor<4xi64>
}

func.func @main() -> (tensor<4xi64>, tensor<4xi64>) {
  %in0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %in1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
  %results:2 = "interpreter.run_parallel"(%in0, %in1) {programs = [[@process], [@process]]}
    : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>)
  check.expect_eq_const %results#0, dense<[0, 0, 0, 0]> : tensor<4xi64>
  check.expect_eq_const %results#1, dense<[6, 8, 10, 12]> : tensor<4xi64>
  return %results#0, %results#1 : tensor<4xi64>, tensor<4xi64>
}
