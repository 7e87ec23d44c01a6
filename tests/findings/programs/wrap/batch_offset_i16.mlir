// title: The last batch of a data set, by the sum of the sizes of those before
// fault: the sizes are added up in i16: 40,000 is -25,536, and the first row is read instead
// inputs: iota; [20000, 12000, 8000]
func.func @main(%samples: tensor<40004xf32>, %sizes: tensor<3xi16>) -> (tensor<4xf32>, tensor<ui32>) {
  %none = stablehlo.constant dense<0> : tensor<i16> // faulty
  %offset = stablehlo.reduce(%sizes init: %none) applies stablehlo.add across dimensions = [0] : (tensor<3xi16>, tensor<i16>) -> tensor<i16> // faulty FAULT
  %batch = stablehlo.dynamic_slice %samples, %offset, sizes = [4] : (tensor<40004xf32>, tensor<i16>) -> tensor<4xf32> // faulty
  %none = stablehlo.constant dense<0> : tensor<i32> // sound
  %wide = stablehlo.convert %sizes : (tensor<3xi16>) -> tensor<3xi32> // sound
  %offset = stablehlo.reduce(%wide init: %none) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32> // sound
  %batch = stablehlo.dynamic_slice %samples, %offset, sizes = [4] : (tensor<40004xf32>, tensor<i32>) -> tensor<4xf32> // sound
  // A checksum of the sizes wraps by design, and decides about nothing.
  %words = stablehlo.convert %sizes : (tensor<3xi16>) -> tensor<3xui32>
  %prime = stablehlo.constant dense<2654435761> : tensor<3xui32>
  %mixed = stablehlo.multiply %words, %prime : tensor<3xui32>
  %one = stablehlo.constant dense<1> : tensor<ui32>
  %checksum = stablehlo.reduce(%mixed init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<3xui32>, tensor<ui32>) -> tensor<ui32>
  return %batch, %checksum : tensor<4xf32>, tensor<ui32>
}
