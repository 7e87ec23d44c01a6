// title: xla_group_of_each_replica
// description: XLA's example of a group number for each replica: the number is the replica's modulo 4.
func.func private @process(%operand: tensor<i32>) -> tensor<i32> {
  %result = "stablehlo.all_reduce"(%operand) <{replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>}> ({
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
  %in4 = stablehlo.constant dense<16> : tensor<i32>
  %in5 = stablehlo.constant dense<32> : tensor<i32>
  %in6 = stablehlo.constant dense<64> : tensor<i32>
  %in7 = stablehlo.constant dense<128> : tensor<i32>
  %results:8 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3, %in4, %in5, %in6, %in7) {programs = [[@process], [@process], [@process], [@process], [@process], [@process], [@process], [@process]]} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
  check.expect_eq_const %results#0, dense<17> : tensor<i32>
  check.expect_eq_const %results#1, dense<34> : tensor<i32>
  check.expect_eq_const %results#2, dense<68> : tensor<i32>
  check.expect_eq_const %results#3, dense<136> : tensor<i32>
  check.expect_eq_const %results#4, dense<17> : tensor<i32>
  check.expect_eq_const %results#5, dense<34> : tensor<i32>
  check.expect_eq_const %results#6, dense<68> : tensor<i32>
  check.expect_eq_const %results#7, dense<136> : tensor<i32>
  return
}
