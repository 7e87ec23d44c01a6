// title: Activations as f8E4M3FN, by the greatest of them
// fault: 500 is beyond f8E4M3FN, which has no infinity: it becomes NaN
// inputs: [[12, -500, 3.5], [0.25, 440, -6]]
func.func @main(%x: tensor<2x3xbf16>) -> tensor<2x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %range = stablehlo.constant dense<448.0> : tensor<bf16>
  %one = stablehlo.constant dense<1.0> : tensor<bf16>
  %sizes = stablehlo.abs %x : tensor<2x3xbf16>
  %greatest = stablehlo.reduce(%sizes init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<bf16>
  %ratio = stablehlo.divide %range, %greatest : tensor<bf16>
  %scale = stablehlo.maximum %ratio, %one : tensor<bf16> // faulty
  %scale = stablehlo.minimum %ratio, %one : tensor<bf16> // sound
  %scales = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<bf16>) -> tensor<2x3xbf16>
  %scaled = stablehlo.multiply %x, %scales : tensor<2x3xbf16>
  %small = stablehlo.convert %scaled : (tensor<2x3xbf16>) -> tensor<2x3xf8E4M3FN> // FAULT
  %result = stablehlo.convert %small : (tensor<2x3xf8E4M3FN>) -> tensor<2x3xf32>
  return %result : tensor<2x3xf32>
}
