// title: stablehlo.complex
// description: Real parts from lhs, imaginary parts from rhs.
func.func @main() -> tensor<2xcomplex<f64>> {
  %lhs = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf64>
  %rhs = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf64>
  %result = stablehlo.complex %lhs, %rhs : tensor<2xcomplex<f64>>
  check.expect_eq_const %result, dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f64>>
  return %result : tensor<2xcomplex<f64>>
}
