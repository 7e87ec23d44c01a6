// title: xla_global_device_ids
// description: XLA's example of ids that count all processes: 2 replicas by 4 partitions in two groups.
func.func private @process(%operand: tensor<i32>) -> tensor<i32> {
  %result = "stablehlo.all_reduce"(%operand) <{replica_groups = dense<[[0, 1, 4, 5], [2, 3, 6, 7]]> : tensor<2x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> ({
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
  %results:8 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3, %in4, %in5, %in6, %in7) {programs = [[@process, @process, @process, @process], [@process, @process, @process, @process]]} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
  check.expect_eq_const %results#0, dense<51> : tensor<i32>
  check.expect_eq_const %results#1, dense<51> : tensor<i32>
  check.expect_eq_const %results#2, dense<204> : tensor<i32>
  check.expect_eq_const %results#3, dense<204> : tensor<i32>
  check.expect_eq_const %results#4, dense<51> : tensor<i32>
  check.expect_eq_const %results#5, dense<51> : tensor<i32>
  check.expect_eq_const %results#6, dense<204> : tensor<i32>
  check.expect_eq_const %results#7, dense<204> : tensor<i32>
  return
}
