// expect: 3:10 constraint "result 1 must hold f32, not f64"
func.func @main(%x: tensor<4xf32>, %c: tensor<f32>) -> tensor<f64> {
  %0:2 = "chlo.scan"(%x, %c) ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s, %s : tensor<f32>, tensor<f32>
  }) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f64>)
  return %0#1 : tensor<f64>
}
