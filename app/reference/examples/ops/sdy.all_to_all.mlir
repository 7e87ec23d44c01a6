// title: sdy.all_to_all
// description: Moves an axis from one dimension to another: the devices hold columns instead of rows, and the whole tensor does not change.
sdy.mesh @mesh = <["x"=2]>

func.func @main() -> tensor<2x2xi32> {
  %operand = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %placed = sdy.sharding_constraint %operand <@mesh, [{"x"}, {}]> : tensor<2x2xi32>
  %result = sdy.all_to_all [{"x"}: 0->1] %placed out_sharding=<@mesh, [{}, {"x"}]> : tensor<2x2xi32>
  check.expect_eq_const %result, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  return %result : tensor<2x2xi32>
}
