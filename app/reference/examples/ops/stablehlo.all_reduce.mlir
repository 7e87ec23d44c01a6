// title: stablehlo.all_reduce
// description: The sums over the processes of the group: here of two operands each, in two replicas.
func.func private @process(%operand0: tensor<4xi64>, %operand1: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  %result0, %result1 = "stablehlo.all_reduce"(%operand0, %operand1) <{
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  }> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %sum = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %sum : tensor<i64>
  }) : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>)
  return %result0, %result1 : tensor<4xi64>, tensor<4xi64>
}

func.func @main() -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) {
  %in0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %in1 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
  %in2 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
  %in3 = stablehlo.constant dense<[13, 14, 15, 16]> : tensor<4xi64>
  %results:4 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3) {programs = [[@process], [@process]]}
    : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
  check.expect_eq_const %results#0, dense<[6, 8, 10, 12]> : tensor<4xi64>
  check.expect_eq_const %results#1, dense<[22, 24, 26, 28]> : tensor<4xi64>
  check.expect_eq_const %results#2, dense<[6, 8, 10, 12]> : tensor<4xi64>
  check.expect_eq_const %results#3, dense<[22, 24, 26, 28]> : tensor<4xi64>
  return %results#0, %results#1, %results#2, %results#3 : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
}
