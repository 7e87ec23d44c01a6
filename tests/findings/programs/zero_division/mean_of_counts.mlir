// title: How many samples there are for each class on average, in whole numbers
// fault: class 2 has none: 0 / 0 is -1 for integers
// inputs: [12, 7, 0]; [3, 2, 0]
func.func @main(%sums: tensor<3xi32>, %counts: tensor<3xi32>) -> tensor<3xi32> {
  %zero = stablehlo.constant dense<0> : tensor<3xi32>
  %empty = stablehlo.compare EQ, %counts, %zero : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %means = stablehlo.divide %sums, %counts : tensor<3xi32> // FAULT
  %filled = stablehlo.select %empty, %zero, %means : tensor<3xi1>, tensor<3xi32>
  return %means : tensor<3xi32> // faulty
  return %filled : tensor<3xi32> // sound
}
