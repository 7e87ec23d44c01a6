// title: The best of four ratios, found by comparing: nothing is left of the NaN, but for the wrong place
// fault: ratio 1 is 0/0: no comparison with it is true
// inputs: [0.5, 0, 3, 2]; [1, 0, 1, 1]
func.func @main(%above: tensor<4xf32>, %below: tensor<4xf32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %least = stablehlo.constant dense<-1.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %divisor = stablehlo.maximum %below, %one : tensor<4xf32> // sound
  %ratios = stablehlo.divide %above, %below : tensor<4xf32> // faulty FAULT
  %ratios = stablehlo.divide %above, %divisor : tensor<4xf32> // sound
  %places = stablehlo.iota dim = 0 : tensor<4xi32>
  %best, %at = stablehlo.reduce(%ratios init: %least), (%places init: %zero) across dimensions = [0]
    : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %greater = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %value = stablehlo.select %greater, %a, %b : tensor<i1>, tensor<f32>
      %number = stablehlo.select %greater, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %number : tensor<f32>, tensor<i32>
    }
  return %at : tensor<i32>
}
