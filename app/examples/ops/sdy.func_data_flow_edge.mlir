// title: sdy.func_data_flow_edge
// description: Stands for what flows into a function, so that it can have a sharding of its own.
func.func @main() -> tensor<4xi32> {
  %operand = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %result = sdy.func_data_flow_edge %operand : tensor<4xi32>
  check.expect_eq_const %result, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %result : tensor<4xi32>
}
