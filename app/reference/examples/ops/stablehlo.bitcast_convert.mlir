// title: stablehlo.bitcast_convert
// description: Eight bytes read as four pairs; the low byte comes first.
func.func @main() -> tensor<4xf16> {
  %operand = stablehlo.constant dense<0x0123456789ABCDEF> : tensor<f64>
  %expected = stablehlo.constant dense<[0xCDEF, 0x89AB, 0x4567, 0x0123]> : tensor<4xi16>
  %result = stablehlo.bitcast_convert %operand : (tensor<f64>) -> tensor<4xf16>
  %bits = stablehlo.bitcast_convert %result : (tensor<4xf16>) -> tensor<4xi16>
  check.expect_eq %bits, %expected : tensor<4xi16>
  return %result : tensor<4xf16>
}
