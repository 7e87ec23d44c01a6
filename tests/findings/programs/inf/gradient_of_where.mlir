// title: The gradient of where(x > 0, sqrt(x), 0)
// fault: the root is taken of 0 too: its reciprocal is +Inf, and 0 * +Inf is NaN
// inputs: [4, 0, 2.25, 1]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<4xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<4xf32>
  %halves = stablehlo.constant dense<0.5> : tensor<4xf32>
  %positive = stablehlo.compare GT, %x, %zeros : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %safe = stablehlo.select %positive, %x, %ones : tensor<4xi1>, tensor<4xf32>
  %reciprocal = stablehlo.rsqrt %x : tensor<4xf32> // faulty FAULT
  %reciprocal = stablehlo.rsqrt %safe : tensor<4xf32> // sound
  %slope = stablehlo.multiply %halves, %reciprocal : tensor<4xf32>
  %incoming = stablehlo.select %positive, %ones, %zeros : tensor<4xi1>, tensor<4xf32>
  %gradient = stablehlo.multiply %incoming, %slope : tensor<4xf32>
  return %gradient : tensor<4xf32>
}
