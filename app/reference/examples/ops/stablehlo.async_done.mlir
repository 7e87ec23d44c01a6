// title: stablehlo.async_done
// description: Waits for an all_gather that was started before another computation of the two processes.
func.func private @process(%operand: tensor<2xi32>) -> (tensor<2xi32>, tensor<4xi32>) {
  %started = "stablehlo.async_start"(%operand) ({
  ^bb0(%x: tensor<2xi32>):
    %all = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi32>) -> tensor<4xi32>
    stablehlo.return %all : tensor<4xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<4xi32>>
  %meanwhile = stablehlo.add %operand, %operand : tensor<2xi32>
  %result = "stablehlo.async_done"(%started) : (!stablehlo.future<tensor<4xi32>>) -> tensor<4xi32>
  return %meanwhile, %result : tensor<2xi32>, tensor<4xi32>
}

func.func @main() -> (tensor<2xi32>, tensor<4xi32>, tensor<2xi32>, tensor<4xi32>) {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %results:4 = "interpreter.run_parallel"(%x, %y) {programs = [[@process], [@process]]} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<4xi32>, tensor<2xi32>, tensor<4xi32>)
  check.expect_eq_const %results#0, dense<[2, 4]> : tensor<2xi32>
  check.expect_eq_const %results#1, dense<[1, 2, 3, 4]> : tensor<4xi32>
  check.expect_eq_const %results#2, dense<[6, 8]> : tensor<2xi32>
  check.expect_eq_const %results#3, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %results#0, %results#1, %results#2, %results#3 : tensor<2xi32>, tensor<4xi32>, tensor<2xi32>, tensor<4xi32>
}
