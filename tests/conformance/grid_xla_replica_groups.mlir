// title: xla_replica_groups
// description: XLA's example of groups: replicas 0 and 2, 1 and 3.
func.func private @process(%operand: tensor<i32>) -> tensor<i32> {
  %result = "stablehlo.all_reduce"(%operand) <{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %sum = stablehlo.add %x, %y : tensor<i32>
      stablehlo.return %sum : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
  return %result : tensor<i32>
}

func.func @main() {
  %in0 = stablehlo.constant dense<1> : tensor<i32>
  %in1 = stablehlo.constant dense<2> : tensor<i32>
  %in2 = stablehlo.constant dense<4> : tensor<i32>
  %in3 = stablehlo.constant dense<8> : tensor<i32>
  %results:4 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3) {programs = [[@process], [@process], [@process], [@process]]} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
  check.expect_eq_const %results#0, dense<5> : tensor<i32>
  check.expect_eq_const %results#1, dense<10> : tensor<i32>
  check.expect_eq_const %results#2, dense<5> : tensor<i32>
  check.expect_eq_const %results#3, dense<10> : tensor<i32>
  return
}
