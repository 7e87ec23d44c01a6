// title: stablehlo.all_reduce
// description: The sums over the processes of the group.
// The specification's example is for several processes; in a run of one the group is the process itself.
func.func @main() -> (tensor<4xi64>, tensor<4xi64>) {
  %operand0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %operand1 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
  %result0, %result1 = "stablehlo.all_reduce"(%operand0, %operand1) <{
    replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  }> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %sum = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %sum : tensor<i64>
  }) : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>)
  check.expect_eq_const %result0, dense<[1, 2, 3, 4]> : tensor<4xi64>
  check.expect_eq_const %result1, dense<[9, 10, 11, 12]> : tensor<4xi64>
  return %result0, %result1 : tensor<4xi64>, tensor<4xi64>
}
