// title: Layer norm by the mean of squares less the square of the mean
// fault: of numbers far from 0 the difference is negative, and the reciprocal root of a negative number is NaN
// inputs: [[10000, 10000.125, 10000.25, 10000.0625], [1, 2, 3, 4], [4097, 4097, 4097.5, 4097]]
func.func @main(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<4.0> : tensor<3xf32>
  %epsilon = stablehlo.constant dense<1.0e-5> : tensor<3xf32>
  %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %means = stablehlo.divide %sums, %count : tensor<3xf32>
  %of_rows = stablehlo.broadcast_in_dim %means, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
  %centred = stablehlo.subtract %x, %of_rows : tensor<3x4xf32>
  %squares = stablehlo.multiply %x, %x : tensor<3x4xf32> // faulty
  %squares = stablehlo.multiply %centred, %centred : tensor<3x4xf32> // sound
  %square_sums = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %square_means = stablehlo.divide %square_sums, %count : tensor<3xf32>
  %mean_squares = stablehlo.multiply %means, %means : tensor<3xf32>
  %variance = stablehlo.subtract %square_means, %mean_squares : tensor<3xf32> // faulty
  %variance = stablehlo.abs %square_means : tensor<3xf32> // sound
  %guarded = stablehlo.add %variance, %epsilon : tensor<3xf32>
  %scale = stablehlo.rsqrt %guarded : tensor<3xf32> // FAULT
  %scales = stablehlo.broadcast_in_dim %scale, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
  %result = stablehlo.multiply %centred, %scales : tensor<3x4xf32>
  return %result : tensor<3x4xf32>
}
