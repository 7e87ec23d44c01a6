// title: A mask value rounded to tf32
// fault: the largest f32 is above the largest tf32, and rounds to infinity
// inputs: [1, 2, 3]
func.func @main(%scores: tensor<3xf32>) -> tensor<3xf32> {
  %huge = stablehlo.constant dense<3.40282347E+38> : tensor<3xf32> // faulty
  %huge = stablehlo.constant dense<1.0E+38> : tensor<3xf32> // sound
  %rounded = stablehlo.convert %huge : (tensor<3xf32>) -> tensor<3xtf32> // FAULT
  %low = stablehlo.convert %rounded : (tensor<3xtf32>) -> tensor<3xf32>
  %result = stablehlo.subtract %scores, %low : tensor<3xf32>
  return %result : tensor<3xf32>
}
