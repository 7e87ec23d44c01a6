// title: XLA: edges_convert
// description: Conversions out of range: floats saturate and NaN is 0, integers wrap, anything but 0 is true.
func.func @main() -> (tensor<7xi32>, tensor<3xi8>, tensor<3xi8>, tensor<4xi1>, tensor<2xf32>) {
  %a = stablehlo.constant dense<[1.9, -1.9, 0x7FC00000, 0x7F800000, 0xFF800000, 3.0e+09, -3.0e+09]> : tensor<7xf32>
  %b = stablehlo.constant dense<[300.0, -300.0, 128.0]> : tensor<3xf32>
  %c = stablehlo.constant dense<[128, 300, -129]> : tensor<3xi32>
  %d = stablehlo.constant dense<[0.0, -0.0, 0.3, 0x7FC00000]> : tensor<4xf32>
  %e = stablehlo.constant dense<[16777217, 16777219]> : tensor<2xi32>
  %a32 = stablehlo.convert %a : (tensor<7xf32>) -> tensor<7xi32>
  %b8 = stablehlo.convert %b : (tensor<3xf32>) -> tensor<3xi8>
  %c8 = stablehlo.convert %c : (tensor<3xi32>) -> tensor<3xi8>
  %d1 = stablehlo.convert %d : (tensor<4xf32>) -> tensor<4xi1>
  %ef = stablehlo.convert %e : (tensor<2xi32>) -> tensor<2xf32>
  check.expect_eq_const %a32, dense<[1, -1, 0, 2147483647, -2147483648, 2147483647, -2147483648]> : tensor<7xi32>
  check.expect_eq_const %b8, dense<[127, -128, 127]> : tensor<3xi8>
  check.expect_eq_const %c8, dense<[-128, 44, 127]> : tensor<3xi8>
  check.expect_eq_const %d1, dense<[false, false, true, true]> : tensor<4xi1>
  check.expect_eq_const %ef, dense<[16777216.0, 16777220.0]> : tensor<2xf32>
  return %a32, %b8, %c8, %d1, %ef : tensor<7xi32>, tensor<3xi8>, tensor<3xi8>, tensor<4xi1>, tensor<2xf32>
}
