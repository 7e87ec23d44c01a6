// title: interpreter.run_parallel
// description: Runs a function on every process of a grid: here two replicas of one partition each, which gather their inputs.
func.func private @process(%x: tensor<2xi32>) -> tensor<4xi32> {
  %all = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xi32>) -> tensor<4xi32>
  return %all : tensor<4xi32>
}

func.func @main() -> (tensor<4xi32>, tensor<4xi32>) {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %results:2 = "interpreter.run_parallel"(%x, %y) {programs = [[@process], [@process]]} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %results#0, dense<[1, 2, 3, 4]> : tensor<4xi32>
  check.expect_eq_const %results#1, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %results#0, %results#1 : tensor<4xi32>, tensor<4xi32>
}
