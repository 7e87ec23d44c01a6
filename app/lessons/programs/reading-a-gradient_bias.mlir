// A bias is added to each row of a batch, and all is squared and summed.
// Below the blank line: the gradient.
func.func @main(%x: tensor<3x2xf32>, %bias: tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>) {
  %row = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
  %shifted = stablehlo.add %x, %row : tensor<3x2xf32>
  %squares = stablehlo.multiply %shifted, %shifted : tensor<3x2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %loss = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>

  %two = stablehlo.constant dense<2.0> : tensor<3x2xf32>
  %to_shifted = stablehlo.multiply %two, %shifted : tensor<3x2xf32>
  %to_bias = stablehlo.reduce(%to_shifted init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %loss, %to_bias : tensor<f32>, tensor<2xf32>
}
