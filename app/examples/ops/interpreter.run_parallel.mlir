// title: interpreter.run_parallel
// description: Runs a function on every process of a grid; here the grid is one replica and one partition.
func.func private @process(%x: tensor<2xi32>) -> tensor<2xi32> {
  %all = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<2xi32>) -> tensor<2xi32>
  return %all : tensor<2xi32>
}

func.func @main() -> tensor<2xi32> {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %result = "interpreter.run_parallel"(%x) {programs = [[@process]]} : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %result, dense<[1, 2]> : tensor<2xi32>
  return %result : tensor<2xi32>
}
