// title: The row in the middle of two
// fault: 90 + 110 is beyond i8: the middle is -28, and row 0 is read
// inputs: iota; 90; 110
func.func @main(%rows: tensor<120xf32>, %first: tensor<i8>, %last: tensor<i8>) -> tensor<1xf32> {
  %one = stablehlo.constant dense<1> : tensor<i8>
  %sum = stablehlo.add %first, %last : tensor<i8> // faulty FAULT
  %middle = stablehlo.shift_right_arithmetic %sum, %one : tensor<i8> // faulty
  %length = stablehlo.subtract %last, %first : tensor<i8> // sound
  %half = stablehlo.shift_right_arithmetic %length, %one : tensor<i8> // sound
  %middle = stablehlo.add %first, %half : tensor<i8> // sound
  %row = stablehlo.dynamic_slice %rows, %middle, sizes = [1] : (tensor<120xf32>, tensor<i8>) -> tensor<1xf32>
  return %row : tensor<1xf32>
}
