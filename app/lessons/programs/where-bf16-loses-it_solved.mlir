// The variance of four numbers: the mean of the
// squared distances from the mean.
func.func @main(%x: tensor<4xbf16>) -> tensor<bf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %quarter = stablehlo.constant dense<0.25> : tensor<bf16>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xbf16>, tensor<bf16>) -> tensor<bf16>
  %mean = stablehlo.multiply %sum, %quarter : tensor<bf16>

  %means = stablehlo.broadcast_in_dim %mean, dims = [] : (tensor<bf16>) -> tensor<4xbf16>
  %distances = stablehlo.subtract %x, %means : tensor<4xbf16>
  %squares = stablehlo.multiply %distances, %distances : tensor<4xbf16>
  %sum_of_squares = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xbf16>, tensor<bf16>) -> tensor<bf16>
  %variance = stablehlo.multiply %sum_of_squares, %quarter : tensor<bf16>
  return %variance : tensor<bf16>
}
