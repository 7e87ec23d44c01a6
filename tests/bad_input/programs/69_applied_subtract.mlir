// expect: 4:46 parse "'applies' takes commutative ops, not stablehlo.subtract"
// hint: write the reducer as a region
func.func @main(%a: tensor<2xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.subtract across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
