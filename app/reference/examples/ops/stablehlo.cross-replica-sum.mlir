// title: stablehlo.cross-replica-sum
// description: The sum over the replicas of the group; used by older programs.
func.func private @process(%operand: tensor<2xf32>) -> tensor<2xf32> {
  %result = "stablehlo.cross-replica-sum"(%operand) <{
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
  }> : (tensor<2xf32>) -> tensor<2xf32>
  return %result : tensor<2xf32>
}

func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
  %in0 = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xf32>
  %in1 = stablehlo.constant dense<[3.0, 5.25]> : tensor<2xf32>
  %results:2 = "interpreter.run_parallel"(%in0, %in1) {programs = [[@process], [@process]]}
    : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %results#0, dense<[4.0, 7.75]> : tensor<2xf32>
  check.expect_eq_const %results#1, dense<[4.0, 7.75]> : tensor<2xf32>
  return %results#0, %results#1 : tensor<2xf32>, tensor<2xf32>
}
