// title: sdy.all_reduce
// description: Adds the terms of a sum along an axis. The sum is the original tensor.
sdy.mesh @mesh = <["x"=2]>

func.func @main() -> tensor<4xi32> {
  %operand = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %result = sdy.all_reduce {"x"} %operand out_sharding=<@mesh, [{}]> : tensor<4xi32>
  check.expect_eq_const %result, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %result : tensor<4xi32>
}
