// title: A reduce whose body adds in the logarithm
// fault: where two terms are -Inf, their difference inside of the body is NaN
// inputs faulty: [[0.5, -1, 2], [-inf, -inf, 1]]
// inputs sound: [[0.5, -1, 2], [-1e30, 2, 1]]
func.func @main(%logs: tensor<2x3xf32>) -> tensor<2xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %sums = "stablehlo.reduce"(%logs, %least) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %greater = stablehlo.maximum %a, %b : tensor<f32>
    %lesser = stablehlo.minimum %a, %b : tensor<f32>
    %difference = stablehlo.subtract %lesser, %greater : tensor<f32> // FAULT
    %power = stablehlo.exponential %difference : tensor<f32>
    %log = stablehlo.log_plus_one %power : tensor<f32>
    %sum = stablehlo.add %greater, %log : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %sums : tensor<2xf32>
}
