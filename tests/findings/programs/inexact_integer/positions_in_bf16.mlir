// title: Rotary embeddings of 400 positions
// fault: bf16 has 8 bits: from 256 on, two neighbouring positions are one
// inputs: [1, 0.5, 0.1, 0.01]
func.func @main(%frequencies: tensor<4xf32>) -> tensor<400x4xf32> {
  %position = stablehlo.iota dim = 0 : tensor<400xi32>
  %short = stablehlo.convert %position : (tensor<400xi32>) -> tensor<400xbf16> // faulty FAULT
  %p = stablehlo.convert %short : (tensor<400xbf16>) -> tensor<400xf32> // faulty
  %p = stablehlo.convert %position : (tensor<400xi32>) -> tensor<400xf32> // sound
  %rows = stablehlo.broadcast_in_dim %p, dims = [0] : (tensor<400xf32>) -> tensor<400x4xf32>
  %columns = stablehlo.broadcast_in_dim %frequencies, dims = [1] : (tensor<4xf32>) -> tensor<400x4xf32>
  %angle = stablehlo.multiply %rows, %columns : tensor<400x4xf32>
  %result = stablehlo.cosine %angle : tensor<400x4xf32>
  return %result : tensor<400x4xf32>
}
