// title: stablehlo.atan2
// description: The angle of each point (rhs, lhs): 0, a quarter turn up, a quarter turn down.
func.func @main() -> tensor<3xf64> {
  %lhs = stablehlo.constant dense<[0.0, 1.0, -1.0]> : tensor<3xf64>
  %rhs = stablehlo.constant dense<[0.0, 0.0, 0.0]> : tensor<3xf64>
  %result = stablehlo.atan2 %lhs, %rhs : tensor<3xf64>
  check.expect_almost_eq_const %result, dense<[0.0, 1.57079637, -1.57079637]> : tensor<3xf64>
  return %result : tensor<3xf64>
}
