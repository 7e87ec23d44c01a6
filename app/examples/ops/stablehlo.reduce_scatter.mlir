// title: stablehlo.reduce_scatter
// description: Sums over the processes, of which each keeps its part.
// The specification's example is for several processes; in a run of one the group is the process itself.
func.func @main() -> tensor<2x4xi64> {
  %operand = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi64>
  %result = "stablehlo.reduce_scatter"(%operand) <{
    scatter_dimension = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  }> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %sum = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %sum : tensor<i64>
  }) : (tensor<2x4xi64>) -> tensor<2x4xi64>
  check.expect_eq_const %result, dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi64>
  return %result : tensor<2x4xi64>
}
