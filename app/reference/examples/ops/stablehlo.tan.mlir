// title: stablehlo.tan
// description: Near a pole, the tangent is about one divided by the distance to the pole.
// The specification prints the angles with 9 digits, and 0.0 for the tangent of half a turn: that angle is rounded as well.
func.func @main() -> tensor<2x2xf64> {
  %operand = stablehlo.constant dense<[[0.0, 1.5707963267948966], [3.1415926535897931, 4.7123889803846899]]> : tensor<2x2xf64>
  %expected = stablehlo.constant dense<[[0.0, 1.633123935319537e+16], [-1.2246467991473532e-16, 5443746451065123.0]]> : tensor<2x2xf64>
  %result = stablehlo.tan %operand : tensor<2x2xf64>
  check.expect_close %result, %expected, max_ulp_difference = 3 : tensor<2x2xf64>, tensor<2x2xf64>
  return %result : tensor<2x2xf64>
}
