// title: sdy.collective_permute
// description: Sends each part to another device: the halves lie along one axis, and then along the other.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main() -> tensor<4xi32> {
  %operand = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %placed = sdy.sharding_constraint %operand <@mesh, [{"x"}]> : tensor<4xi32>
  %result = sdy.collective_permute %placed out_sharding=<@mesh, [{"y"}]> : tensor<4xi32>
  check.expect_eq_const %result, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %result : tensor<4xi32>
}
