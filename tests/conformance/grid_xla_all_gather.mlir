// title: xla_all_gather
// description: XLA's example: two replicas, one after the other.
func.func private @process(%operand: tensor<2xf32>) -> tensor<4xf32> {
  %result = "stablehlo.all_gather"(%operand) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
  return %result : tensor<4xf32>
}

func.func @main() {
  %in0 = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xf32>
  %in1 = stablehlo.constant dense<[3.0, 5.25]> : tensor<2xf32>
  %results:2 = "interpreter.run_parallel"(%in0, %in1) {programs = [[@process], [@process]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  check.expect_eq_const %results#0, dense<[1.0, 2.5, 3.0, 5.25]> : tensor<4xf32>
  check.expect_eq_const %results#1, dense<[1.0, 2.5, 3.0, 5.25]> : tensor<4xf32>
  return
}
