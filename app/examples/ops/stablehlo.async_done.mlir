// title: stablehlo.async_done
// description: Waits for a gathering that was started before, while something else was computed.
func.func @main() -> (tensor<2xi32>, tensor<2xi32>) {
  %operand = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %started = "stablehlo.async_start"(%operand) ({
  ^bb0(%x: tensor<2xi32>):
    %all = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<2xi32>) -> tensor<2xi32>
    stablehlo.return %all : tensor<2xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<2xi32>>
  %meanwhile = stablehlo.add %operand, %operand : tensor<2xi32>
  %result = "stablehlo.async_done"(%started) : (!stablehlo.future<tensor<2xi32>>) -> tensor<2xi32>
  check.expect_eq_const %meanwhile, dense<[2, 4]> : tensor<2xi32>
  check.expect_eq_const %result, dense<[1, 2]> : tensor<2xi32>
  return %meanwhile, %result : tensor<2xi32>, tensor<2xi32>
}
