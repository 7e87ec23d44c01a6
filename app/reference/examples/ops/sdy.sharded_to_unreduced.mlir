// title: sdy.sharded_to_unreduced
// description: Turns parts into terms of a sum: each with zeros around it.
sdy.mesh @mesh = <["x"=2]>

func.func @main() -> tensor<4xi32> {
  %operand = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %placed = sdy.sharding_constraint %operand <@mesh, [{"x"}]> : tensor<4xi32>
  %result = sdy.sharded_to_unreduced [{"x"}] %placed out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<4xi32>
  check.expect_eq_const %result, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %result : tensor<4xi32>
}
