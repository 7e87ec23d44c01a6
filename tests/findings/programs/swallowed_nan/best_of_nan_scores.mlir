// title: The best of four scores, found by comparing
// fault: score 1 is NaN: no comparison with it is true, so that it depends on the order which score is the best
// inputs: [0.5, nan, 3, 2]
func.func @main(%given: tensor<4xf32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<4xf32>
  %least = stablehlo.constant dense<-1.0> : tensor<f32>
  %missing = stablehlo.compare NE, %given, %given : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %scores = stablehlo.add %given, %none : tensor<4xf32> // faulty
  %scores = stablehlo.select %missing, %none, %given : tensor<4xi1>, tensor<4xf32> // sound
  %places = stablehlo.iota dim = 0 : tensor<4xi32>
  %best, %at = stablehlo.reduce(%scores init: %least), (%places init: %zero) across dimensions = [0]
    : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %greater = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1> // FAULT
      %value = stablehlo.select %greater, %a, %b : tensor<i1>, tensor<f32>
      %number = stablehlo.select %greater, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %number : tensor<f32>, tensor<i32>
    }
  return %at : tensor<i32>
}
