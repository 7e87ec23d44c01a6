// title: (1 - cos x) / x² for small x, with the cosine or with the sine of the half
// fault: the cosine rounds to one of seven numbers below 1, and the difference keeps nothing but that
// inputs: [0.001, 0.002, 0.0011, 0.0015]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %half = stablehlo.constant dense<0.5> : tensor<4xf32>
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %halves = stablehlo.multiply %x, %half : tensor<4xf32>
  %part = stablehlo.cosine %x : tensor<4xf32> // faulty
  %part = stablehlo.sine %halves : tensor<4xf32> // sound
  %squared = stablehlo.multiply %part, %part : tensor<4xf32>
  %small = stablehlo.subtract %one, %part : tensor<4xf32> // faulty FAULT
  %small = stablehlo.multiply %two, %squared : tensor<4xf32> // sound
  %square = stablehlo.multiply %x, %x : tensor<4xf32>
  %ratio = stablehlo.divide %small, %square : tensor<4xf32>
  return %ratio : tensor<4xf32>
}
