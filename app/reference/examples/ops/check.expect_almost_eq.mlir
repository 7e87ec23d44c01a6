// title: check.expect_almost_eq
// description: A square root, squared, is the number again up to a little rounding.
func.func @main() -> tensor<3xf32> {
  %x = stablehlo.constant dense<[2.0, 3.0, 5.0]> : tensor<3xf32>
  %root = stablehlo.sqrt %x : tensor<3xf32>
  %square = stablehlo.multiply %root, %root : tensor<3xf32>
  check.expect_almost_eq %square, %x, tolerance = 1.0e-6 : tensor<3xf32>
  return %square : tensor<3xf32>
}
