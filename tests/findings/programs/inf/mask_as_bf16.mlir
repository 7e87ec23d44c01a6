// title: The mask of f32 attention, kept as bf16
// fault: the least number of f32 rounds to -Inf in bf16
// inputs: [[1, 2, 0.5], [3, -1, 0.25]]
func.func @main(%scores: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
  %seen = stablehlo.constant dense<[[true, false, true], [false, false, false]]> : tensor<2x3xi1>
  %least = stablehlo.constant dense<-3.40282347E+38> : tensor<f32> // faulty
  %least = stablehlo.constant dense<-1.0E+30> : tensor<f32> // sound
  %none = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %all_least = stablehlo.broadcast_in_dim %least, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %mask = stablehlo.select %seen, %none, %all_least : tensor<2x3xi1>, tensor<2x3xf32>
  %small = stablehlo.convert %mask : (tensor<2x3xf32>) -> tensor<2x3xbf16> // FAULT
  %masked = stablehlo.add %scores, %small : tensor<2x3xbf16>
  %start = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %greatest = stablehlo.reduce(%masked init: %start) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2xbf16>
  %of_rows = stablehlo.broadcast_in_dim %greatest, dims = [0] : (tensor<2xbf16>) -> tensor<2x3xbf16>
  %shifted = stablehlo.subtract %masked, %of_rows : tensor<2x3xbf16>
  %powers = stablehlo.exponential %shifted : tensor<2x3xbf16>
  return %powers : tensor<2x3xbf16>
}
