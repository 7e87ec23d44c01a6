// title: A gradient that is scaled, then kept as f16
// fault: 80 times 1024 is beyond f16
// inputs: [0.5, -80, 3, 1e-3]
func.func @main(%gradient: tensor<4xf32>) -> tensor<4xf16> {
  %scale = stablehlo.constant dense<1024.0> : tensor<4xf32> // faulty
  %scale = stablehlo.constant dense<512.0> : tensor<4xf32> // sound
  %scaled = stablehlo.multiply %gradient, %scale : tensor<4xf32>
  %result = stablehlo.convert %scaled : (tensor<4xf32>) -> tensor<4xf16> // FAULT
  return %result : tensor<4xf16>
}
