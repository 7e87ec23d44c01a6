// The gradient of max(x): only where an element is the largest.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %largest = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %each = stablehlo.broadcast_in_dim %largest, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %is_largest = stablehlo.compare EQ, %x, %each, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %to_x = stablehlo.convert %is_largest : (tensor<4xi1>) -> tensor<4xf32>
  return %to_x : tensor<4xf32>
}
