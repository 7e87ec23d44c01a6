// title: The weights of the two best of four scores
// fault: a score is the log of a negative number; its NaN is sorted before all others, and its weight is taken
// inputs faulty: [0.5, -0.1, 0.9, 0.3]; [1.0, 2.0, 3.0, 4.0]
// inputs sound: [0.5, 0.1, 0.9, 0.3]; [1.0, 2.0, 3.0, 4.0]
func.func @main(%rates: tensor<4xf32>, %weights: tensor<4xf32>) -> tensor<2xf32> {
  %scores = stablehlo.log %rates : tensor<4xf32> // FAULT
  %sorted, %along = "stablehlo.sort"(%scores, %weights) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %before = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %before : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %best = stablehlo.slice %along [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  return %best : tensor<2xf32>
}
