// title: chlo.conj
// description: Each imaginary part with the opposite sign.
func.func @main() -> tensor<2xcomplex<f32>> {
  %operand = stablehlo.constant dense<[(1.0, 2.0), (3.0, -4.0)]> : tensor<2xcomplex<f32>>
  %result = chlo.conj %operand : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  check.expect_eq_const %result, dense<[(1.0, -2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
  return %result : tensor<2xcomplex<f32>>
}
