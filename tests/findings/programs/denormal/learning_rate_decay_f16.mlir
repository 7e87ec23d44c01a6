// title: A learning rate that decays, kept as f16
// fault: 0.001 times 0.03 is below the least normal f16, and most of its bits are gone
// inputs: normal; [0.001, 0.03]
func.func @main(%gradient: tensor<4xf32>, %rates: tensor<2xf32>) -> (tensor<4xf32>, tensor<1xf32>) {
  %rate = stablehlo.slice %rates [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %decay = stablehlo.slice %rates [1:2] : (tensor<2xf32>) -> tensor<1xf32>
  %product = stablehlo.multiply %rate, %decay : tensor<1xf32>
  %short = stablehlo.convert %product : (tensor<1xf32>) -> tensor<1xf16> // faulty FAULT
  %short = stablehlo.convert %product : (tensor<1xf32>) -> tensor<1xbf16> // sound
  %kept = stablehlo.convert %short : (tensor<1xf16>) -> tensor<1xf32> // faulty
  %kept = stablehlo.convert %short : (tensor<1xbf16>) -> tensor<1xf32> // sound
  %all = stablehlo.broadcast_in_dim %kept, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
  %step = stablehlo.multiply %gradient, %all : tensor<4xf32>
  return %step, %kept : tensor<4xf32>, tensor<1xf32>
}
