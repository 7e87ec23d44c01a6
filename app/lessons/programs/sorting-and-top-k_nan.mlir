// Four losses in ascending order, in the total order of floats.
func.func @main(%losses: tensor<4xf32>) -> tensor<4xf32> {
  %ordered = "stablehlo.sort"(%losses) <{
    dimension = 0 : i64, is_stable = true
  }> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %before = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %before : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %ordered : tensor<4xf32>
}
