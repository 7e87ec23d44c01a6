// title: XLA: fft
// description: A real Fft of 16 and of 17 elements gives 9 frequencies; the inverse undoes it.
func.func @main() -> (tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>, tensor<3xf64>, tensor<3xf64>, tensor<5xf64>) {
  %a = stablehlo.constant dense<1.0> : tensor<16xf32>
  %b = stablehlo.constant dense<1.0> : tensor<17xf32>
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>
  %a9 = stablehlo.fft %a, type = RFFT, length = [16] : (tensor<16xf32>) -> tensor<9xcomplex<f32>>
  %b9 = stablehlo.fft %b, type = RFFT, length = [17] : (tensor<17xf32>) -> tensor<9xcomplex<f32>>
  %c3 = stablehlo.fft %c, type = RFFT, length = [5] : (tensor<5xf64>) -> tensor<3xcomplex<f64>>
  %back = stablehlo.fft %c3, type = IRFFT, length = [5] : (tensor<3xcomplex<f64>>) -> tensor<5xf64>
  %real = stablehlo.real %c3 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %imag = stablehlo.imag %c3 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  check.expect_almost_eq_const %a9, dense<[(16.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)]> : tensor<9xcomplex<f32>>
  check.expect_almost_eq_const %b9, dense<[(17.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)]> : tensor<9xcomplex<f32>>
  check.expect_almost_eq_const %real, dense<[15.0, -2.5, -2.5]> : tensor<3xf64>
  check.expect_almost_eq_const %imag, dense<[0.0, 3.4409548011779334, 0.8122992405822659]> : tensor<3xf64>
  check.expect_almost_eq_const %back, dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>
  return %a9, %b9, %real, %imag, %back : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>, tensor<3xf64>, tensor<3xf64>, tensor<5xf64>
}
