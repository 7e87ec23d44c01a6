// title: Layer normalisation
// description: Each row is normalised to mean 0 and variance 1, then scaled and shifted; compare the ranges down the right edge.
// inputs: normal*5; ones; zeros
func.func @main(%x: tensor<16x32xf32>, %scale: tensor<32xf32>, %offset: tensor<32xf32>) -> tensor<16x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<3.200000e+01> : tensor<16xf32>
  %epsilon = stablehlo.constant dense<1.000000e-05> : tensor<16xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x32xf32>, tensor<f32>) -> tensor<16xf32>
  %mean = stablehlo.divide %sum, %count : tensor<16xf32>
  %mean_of_row = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<16xf32>) -> tensor<16x32xf32>
  %centred = stablehlo.subtract %x, %mean_of_row : tensor<16x32xf32>
  %squares = stablehlo.multiply %centred, %centred : tensor<16x32xf32>
  %sum_of_squares = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x32xf32>, tensor<f32>) -> tensor<16xf32>
  %variance = stablehlo.divide %sum_of_squares, %count : tensor<16xf32>
  %guarded = stablehlo.add %variance, %epsilon : tensor<16xf32>
  %factor = stablehlo.rsqrt %guarded : tensor<16xf32>
  %factor_of_row = stablehlo.broadcast_in_dim %factor, dims = [0] : (tensor<16xf32>) -> tensor<16x32xf32>
  %normalised = stablehlo.multiply %centred, %factor_of_row : tensor<16x32xf32>
  %scale_of_column = stablehlo.broadcast_in_dim %scale, dims = [1] : (tensor<32xf32>) -> tensor<16x32xf32>
  %offset_of_column = stablehlo.broadcast_in_dim %offset, dims = [1] : (tensor<32xf32>) -> tensor<16x32xf32>
  %scaled = stablehlo.multiply %normalised, %scale_of_column : tensor<16x32xf32>
  %result = stablehlo.add %scaled, %offset_of_column : tensor<16x32xf32>
  return %result : tensor<16x32xf32>
}
