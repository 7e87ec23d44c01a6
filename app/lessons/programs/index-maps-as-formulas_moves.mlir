// The digits of each element of %x are its index: 23
// is in row 2, column 3.
func.func @main(%x: tensor<4x6xi32>, %row: tensor<i32>, %column: tensor<i32>) -> (tensor<6x4xi32>, tensor<2x3xi32>, tensor<24xi32>, tensor<4xi32>, tensor<4x9xi32>, tensor<2x2xi32>, tensor<4x6xi32>) {
  %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xi32>) -> tensor<6x4xi32>
  %picked = stablehlo.slice %x [1:4:2, 0:6:2] : (tensor<4x6xi32>) -> tensor<2x3xi32>
  %flat = stablehlo.reshape %x : (tensor<4x6xi32>) -> tensor<24xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x6xi32>, tensor<i32>) -> tensor<4xi32>
  %padded = stablehlo.pad %x, %zero, low = [0, 2], high = [0, 1], interior = [0, 0] : (tensor<4x6xi32>, tensor<i32>) -> tensor<4x9xi32>
  %block = stablehlo.dynamic_slice %x, %row, %column, sizes = [2, 2] : (tensor<4x6xi32>, tensor<i32>, tensor<i32>) -> tensor<2x2xi32>
  %around = stablehlo.reverse %x, dims = [1] : tensor<4x6xi32>
  return %turned, %picked, %flat, %sums, %padded, %block, %around : tensor<6x4xi32>, tensor<2x3xi32>, tensor<24xi32>, tensor<4xi32>, tensor<4x9xi32>, tensor<2x2xi32>, tensor<4x6xi32>
}
