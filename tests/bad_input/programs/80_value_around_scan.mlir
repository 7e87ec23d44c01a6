// expect: 5:10 structure "%y is defined outside of the region, whose op takes values as operands only"
// hint: add it to the operands of that op, with an argument of the region
func.func @main(%x: tensor<4xf32>, %c: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = "chlo.scan"(%x, %c) ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 0, 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
