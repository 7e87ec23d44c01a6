// A product whose factors are rounded to TF32 first,
// as a GPU may do it for f32.
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {
  %exact = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0]
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %short_a = stablehlo.reduce_precision %a, format = e8m10 : tensor<4xf32>
  %short_b = stablehlo.reduce_precision %b, format = e8m10 : tensor<4xf32>
  %fast = stablehlo.dot_general %short_a, %short_b, contracting_dims = [0] x [0]
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %exact, %fast : tensor<f32>, tensor<f32>
}
