// title: The variance of numbers near 10,000, as a difference of means or of centred numbers
// fault: both means of 100,000,000 are rounded to multiples of 8, and the variance is below 0.1
// inputs: [[10000.1, 10000.6, 10000.3, 10000.9], [9999.5, 10000.2, 9999.8, 10000.4]]
func.func @main(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<4.0> : tensor<2xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %mean = stablehlo.divide %sum, %count : tensor<2xf32>
  %means = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %term = stablehlo.multiply %x, %x : tensor<2x4xf32> // faulty
  %centred = stablehlo.subtract %x, %means : tensor<2x4xf32> // sound
  %term = stablehlo.multiply %centred, %centred : tensor<2x4xf32> // sound
  %squares = stablehlo.reduce(%term init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %square = stablehlo.divide %squares, %count : tensor<2xf32>
  %squared = stablehlo.multiply %mean, %mean : tensor<2xf32>
  %variance = stablehlo.subtract %square, %squared : tensor<2xf32> // faulty FAULT
  return %variance : tensor<2xf32> // faulty
  return %square : tensor<2xf32> // sound
}
