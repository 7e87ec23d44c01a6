// title: log(1 + x) for small x, by an addition or by log_plus_one
// fault: 1 + x is rounded to the next f32, and the logarithm is as small as that rounding
// inputs: [1.0e-6, 2.0e-6, 3.0e-7, 4.4e-6]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %sum = stablehlo.add %x, %one : tensor<4xf32>
  %log = stablehlo.log %sum : tensor<4xf32> // faulty FAULT
  %log = stablehlo.log_plus_one %x : tensor<4xf32> // sound
  return %log : tensor<4xf32>
}
