// title: XLA: total_order
// description: The total order: -NaN < -Inf < -1 < -0 < 0 < 1 < Inf < NaN; without it NaN is in no order and both zeros are equal.
func.func @main() -> (tensor<7xi1>, tensor<7xi1>) {
  %lhs = stablehlo.constant dense<[0xFFC00000, 0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000]> : tensor<7xf32>
  %rhs = stablehlo.constant dense<[0xFF800000, -1.0, -0.0, 0.0, 1.0, 0x7F800000, 0x7FC00000]> : tensor<7xf32>
  %total = stablehlo.compare LT, %lhs, %rhs, TOTALORDER : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  %partial = stablehlo.compare LT, %lhs, %rhs, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  check.expect_eq_const %total, dense<true> : tensor<7xi1>
  check.expect_eq_const %partial, dense<[false, true, true, false, true, true, false]> : tensor<7xi1>
  return %total, %partial : tensor<7xi1>, tensor<7xi1>
}
