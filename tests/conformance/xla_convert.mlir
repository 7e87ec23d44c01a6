// title: XLA: convert
// description: ConvertElementType from integers to floating point.
func.func @main() -> tensor<3xf32> {
  %a = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
  %b = stablehlo.convert %a : (tensor<3xi32>) -> tensor<3xf32>
  check.expect_eq_const %b, dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  return %b : tensor<3xf32>
}
