// title: sdy.func_data_flow_edge
// description: Represents the results of a called function, so that they can have their own sharding.
func.func private @twice(%x: tensor<4xi32>) -> tensor<4xi32> {
  %sum = stablehlo.add %x, %x : tensor<4xi32>
  return %sum : tensor<4xi32>
}

func.func @main() -> tensor<4xi32> {
  %operand = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %called = call @twice(%operand) : (tensor<4xi32>) -> tensor<4xi32>
  %result = sdy.func_data_flow_edge %called : tensor<4xi32>
  check.expect_eq_const %result, dense<[2, 4, 6, 8]> : tensor<4xi32>
  return %result : tensor<4xi32>
}
