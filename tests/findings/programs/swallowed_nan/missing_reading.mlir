// title: Readings above a threshold, one of which is missing
// fault: NaN is not above the threshold, so that the missing reading counts as one below
// inputs: [0.5, nan, 3.5, 2.5]
func.func @main(%readings: tensor<4xf32>) -> tensor<4xi32> {
  %limit = stablehlo.constant dense<2.0> : tensor<4xf32>
  %mean = stablehlo.constant dense<2.25> : tensor<4xf32>
  %missing = stablehlo.compare NE, %readings, %readings : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %filled = stablehlo.select %missing, %mean, %readings : tensor<4xi1>, tensor<4xf32>
  %above = stablehlo.compare GT, %readings, %limit : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1> // faulty FAULT
  %above = stablehlo.compare GT, %filled, %limit : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1> // sound
  %counts = stablehlo.convert %above : (tensor<4xi1>) -> tensor<4xi32>
  return %counts : tensor<4xi32>
}
