// Scores of six tokens, sorted from the largest down,
// and the tokens they belong to.
func.func @main(%scores: tensor<6xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %tokens = stablehlo.iota dim = 0 : tensor<6xi32>
  %sorted, %order = "stablehlo.sort"(%scores, %tokens) <{
    dimension = 0 : i64, is_stable = true
  }> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
      %before = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %before : tensor<i1>
  }) : (tensor<6xf32>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xi32>)
  %best = stablehlo.slice %sorted [0:2] : (tensor<6xf32>) -> tensor<2xf32>
  %chosen = stablehlo.slice %order [0:2] : (tensor<6xi32>) -> tensor<2xi32>
  return %best, %chosen : tensor<2xf32>, tensor<2xi32>
}
