// title: Durations from times in seconds since 1970
// fault: near 1.7e9 the distance of two f32 is 128 s
// inputs: [1700000000, 1700000060, 1700003600]; [1700000077, 1700000137, 1700003677]
func.func @main(%start: tensor<3xi64>, %end: tensor<3xi64>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<1700000000> : tensor<3xi64>
  %near = stablehlo.subtract %start, %zero : tensor<3xi64>
  %later = stablehlo.subtract %end, %zero : tensor<3xi64>
  %from = stablehlo.convert %start : (tensor<3xi64>) -> tensor<3xf32> // faulty FAULT
  %from = stablehlo.convert %near : (tensor<3xi64>) -> tensor<3xf32> // sound
  %to = stablehlo.convert %end : (tensor<3xi64>) -> tensor<3xf32> // faulty
  %to = stablehlo.convert %later : (tensor<3xi64>) -> tensor<3xf32> // sound
  %duration = stablehlo.subtract %to, %from : tensor<3xf32>
  return %duration : tensor<3xf32>
}
