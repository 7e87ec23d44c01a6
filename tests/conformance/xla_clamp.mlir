// title: XLA: clamp
// description: Clamp with scalar limits.
func.func @main() -> tensor<3xi32> {
  %min = stablehlo.constant dense<0> : tensor<i32>
  %operand = stablehlo.constant dense<[-1, 5, 9]> : tensor<3xi32>
  %max = stablehlo.constant dense<6> : tensor<i32>
  %result = stablehlo.clamp %min, %operand, %max : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %result, dense<[0, 5, 6]> : tensor<3xi32>
  return %result : tensor<3xi32>
}
