// title: sdy.reduce_scatter
// description: Adds the terms of a sum; each device keeps a part.
sdy.mesh @mesh = <["x"=2]>

func.func @main() -> tensor<4xi32> {
  %operand = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %result = sdy.reduce_scatter [{"x"}] %operand out_sharding=<@mesh, [{"x"}]> : tensor<4xi32>
  check.expect_eq_const %result, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %result : tensor<4xi32>
}
