// title: xla_all_reduce
// description: XLA's example: sums over two replicas.
func.func private @process(%operand: tensor<2xf32>) -> tensor<2xf32> {
  %result = "stablehlo.all_reduce"(%operand) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %sum = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
  return %result : tensor<2xf32>
}

func.func @main() {
  %in0 = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xf32>
  %in1 = stablehlo.constant dense<[3.0, 5.25]> : tensor<2xf32>
  %results:2 = "interpreter.run_parallel"(%in0, %in1) {programs = [[@process], [@process]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %results#0, dense<[4.0, 7.75]> : tensor<2xf32>
  check.expect_eq_const %results#1, dense<[4.0, 7.75]> : tensor<2xf32>
  return
}
