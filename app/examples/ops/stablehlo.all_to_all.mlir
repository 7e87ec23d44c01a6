// title: stablehlo.all_to_all
// description: Each process gets its part of what every process has.
// The specification's example is for several processes; in a run of one the group is the process itself.
func.func @main() -> tensor<2x4xi64> {
  %operand = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi64>
  %result = "stablehlo.all_to_all"(%operand) <{
    split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>
  }> : (tensor<2x4xi64>) -> tensor<2x4xi64>
  check.expect_eq_const %result, dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi64>
  return %result : tensor<2x4xi64>
}
