// title: stablehlo.convert
// description: Integers become complex numbers without an imaginary part.
func.func @main() -> tensor<3xcomplex<f64>> {
  %operand = stablehlo.constant dense<[-1, 0, 1]> : tensor<3xi64>
  %result = stablehlo.convert %operand : (tensor<3xi64>) -> tensor<3xcomplex<f64>>
  check.expect_eq_const %result, dense<[(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]> : tensor<3xcomplex<f64>>
  return %result : tensor<3xcomplex<f64>>
}
