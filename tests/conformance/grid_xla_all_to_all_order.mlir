// title: xla_all_to_all_order
// description: XLA's example of groups in another order: replicas 1, 2, 3 and 4, 5, 0 each give a part to the others.
func.func private @process(%operand: tensor<3xi32>) -> tensor<3xi32> {
  %result = "stablehlo.all_to_all"(%operand) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 3 : i64, replica_groups = dense<[[1, 2, 3], [4, 5, 0]]> : tensor<2x3xi64>}> : (tensor<3xi32>) -> tensor<3xi32>
  return %result : tensor<3xi32>
}

func.func @main() {
  %in0 = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
  %in1 = stablehlo.constant dense<[10, 11, 12]> : tensor<3xi32>
  %in2 = stablehlo.constant dense<[20, 21, 22]> : tensor<3xi32>
  %in3 = stablehlo.constant dense<[30, 31, 32]> : tensor<3xi32>
  %in4 = stablehlo.constant dense<[40, 41, 42]> : tensor<3xi32>
  %in5 = stablehlo.constant dense<[50, 51, 52]> : tensor<3xi32>
  %results:6 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3, %in4, %in5) {programs = [[@process], [@process], [@process], [@process], [@process], [@process]]} : (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>)
  check.expect_eq_const %results#0, dense<[42, 52, 2]> : tensor<3xi32>
  check.expect_eq_const %results#1, dense<[10, 20, 30]> : tensor<3xi32>
  check.expect_eq_const %results#2, dense<[11, 21, 31]> : tensor<3xi32>
  check.expect_eq_const %results#3, dense<[12, 22, 32]> : tensor<3xi32>
  check.expect_eq_const %results#4, dense<[40, 50, 0]> : tensor<3xi32>
  check.expect_eq_const %results#5, dense<[41, 51, 1]> : tensor<3xi32>
  return
}
