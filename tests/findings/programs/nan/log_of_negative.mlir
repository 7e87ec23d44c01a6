// title: Binary entropy of numbers that are no probabilities
// fault: 1 - p is negative where p is above 1, and the log of a negative number is NaN
// inputs faulty: [0.25, 0.5, 1.125, 0.9]
// inputs sound: [0.25, 0.5, 0.125, 0.9]
func.func @main(%p: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %rest = stablehlo.subtract %one, %p : tensor<4xf32>
  %log_p = stablehlo.log %p : tensor<4xf32>
  %log_rest = stablehlo.log %rest : tensor<4xf32> // FAULT
  %first = stablehlo.multiply %p, %log_p : tensor<4xf32>
  %second = stablehlo.multiply %rest, %log_rest : tensor<4xf32>
  %sum = stablehlo.add %first, %second : tensor<4xf32>
  %entropy = stablehlo.negate %sum : tensor<4xf32>
  return %entropy : tensor<4xf32>
}
