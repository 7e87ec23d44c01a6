// title: sdy.propagation_barrier
// description: Shardings do not propagate through it; the tensor does not change.
sdy.mesh @mesh = <["x"=2]>

func.func @main() -> tensor<4xi32> {
  %operand = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %result = sdy.propagation_barrier %operand allowed_direction=NONE : tensor<4xi32>
  check.expect_eq_const %result, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %result : tensor<4xi32>
}
