// title: XLA: bitcast_convert
// description: BitcastConvertType to a narrower type adds a dimension, to a wider one takes it away; the low bytes come first.
func.func @main() -> (tensor<2x4xi8>, tensor<2xi32>, tensor<2xui16>, tensor<10xf32>) {
  %word = stablehlo.constant dense<[67305985, -1]> : tensor<2xi32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %bytes = stablehlo.bitcast_convert %word : (tensor<2xi32>) -> tensor<2x4xi8>
  %again = stablehlo.bitcast_convert %bytes : (tensor<2x4xi8>) -> tensor<2xi32>
  %halves = stablehlo.bitcast_convert %one : (tensor<f32>) -> tensor<2xf16>
  %bits = stablehlo.bitcast_convert %halves : (tensor<2xf16>) -> tensor<2xui16>
  %ten = stablehlo.constant dense<1.0> : tensor<10xf32>
  %pairs = stablehlo.bitcast_convert %ten : (tensor<10xf32>) -> tensor<10x2xf16>
  %back = stablehlo.bitcast_convert %pairs : (tensor<10x2xf16>) -> tensor<10xf32>
  check.expect_eq_const %bytes, dense<[[1, 2, 3, 4], [-1, -1, -1, -1]]> : tensor<2x4xi8>
  check.expect_eq_const %again, dense<[67305985, -1]> : tensor<2xi32>
  check.expect_eq_const %bits, dense<[0, 16256]> : tensor<2xui16>
  check.expect_eq_const %back, dense<1.0> : tensor<10xf32>
  return %bytes, %again, %bits, %back : tensor<2x4xi8>, tensor<2xi32>, tensor<2xui16>, tensor<10xf32>
}
