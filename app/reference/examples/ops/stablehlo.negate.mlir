// title: stablehlo.negate
// description: The opposite sign; for a complex number, of both parts.
func.func @main() -> (tensor<2xi32>, tensor<1xcomplex<f32>>) {
  %operand = stablehlo.constant dense<[0, -2]> : tensor<2xi32>
  %c = stablehlo.constant dense<[(2.5, 0.0)]> : tensor<1xcomplex<f32>>
  %result = stablehlo.negate %operand : tensor<2xi32>
  %opposite = stablehlo.negate %c : tensor<1xcomplex<f32>>
  check.expect_eq_const %result, dense<[0, 2]> : tensor<2xi32>
  check.expect_eq_const %opposite, dense<[(-2.5, -0.0)]> : tensor<1xcomplex<f32>>
  return %result, %opposite : tensor<2xi32>, tensor<1xcomplex<f32>>
}
