// title: chlo.constant_like
// description: One number in the shape of another tensor.
func.func @main() -> tensor<2x2xf32> {
  %operand = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %result = "chlo.constant_like"(%operand) <{value = 5.0 : f32}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %result, dense<5.0> : tensor<2x2xf32>
  return %result : tensor<2x2xf32>
}
