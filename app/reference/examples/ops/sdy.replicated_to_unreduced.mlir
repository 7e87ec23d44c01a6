// title: sdy.replicated_to_unreduced
// description: Turns copies into terms of a sum: the tensor and zeros.
sdy.mesh @mesh = <["x"=2]>

func.func @main() -> tensor<4xi32> {
  %operand = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %placed = sdy.sharding_constraint %operand <@mesh, [{}]> : tensor<4xi32>
  %result = sdy.replicated_to_unreduced {"x"} %placed out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<4xi32>
  check.expect_eq_const %result, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %result : tensor<4xi32>
}
