// The variance of four numbers: the mean of the
// squares minus the square of the mean.
func.func @main(%x: tensor<4xbf16>) -> tensor<bf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %quarter = stablehlo.constant dense<0.25> : tensor<bf16>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xbf16>, tensor<bf16>) -> tensor<bf16>
  %mean = stablehlo.multiply %sum, %quarter : tensor<bf16>

  %squares = stablehlo.multiply %x, %x : tensor<4xbf16>
  %sum_of_squares = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xbf16>, tensor<bf16>) -> tensor<bf16>
  %mean_of_squares = stablehlo.multiply %sum_of_squares, %quarter : tensor<bf16>
  %square_of_mean = stablehlo.multiply %mean, %mean : tensor<bf16>
  %variance = stablehlo.subtract %mean_of_squares, %square_of_mean : tensor<bf16>
  return %variance : tensor<bf16>
}
