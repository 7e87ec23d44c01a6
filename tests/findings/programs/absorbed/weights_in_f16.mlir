// title: Weights in f16 that 400 steps of gradient descent do not move
// fault: the step of 0.0004 is less than half of the distance to the next f16 beside 1 and 2
// inputs: [1, 2, 1.5]
func.func @main(%weights: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<400> : tensor<i32>
  %step = stablehlo.constant dense<4.0e-4> : tensor<3xf16> // faulty
  %step = stablehlo.constant dense<4.0e-4> : tensor<3xf32> // sound
  %start = stablehlo.convert %weights : (tensor<3xf32>) -> tensor<3xf16> // faulty
  %start = stablehlo.convert %weights : (tensor<3xf32>) -> tensor<3xf32> // sound
  %end:2 = stablehlo.while(%i = %zero, %w = %start) : tensor<i32>, tensor<3xf16> // faulty
  %end:2 = stablehlo.while(%i = %zero, %w = %start) : tensor<i32>, tensor<3xf32> // sound
  cond {
    %more = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %moved = stablehlo.subtract %w, %step : tensor<3xf16> // faulty FAULT
    %moved = stablehlo.subtract %w, %step : tensor<3xf32> // sound
    stablehlo.return %next, %moved : tensor<i32>, tensor<3xf16> // faulty
    stablehlo.return %next, %moved : tensor<i32>, tensor<3xf32> // sound
  }
  %result = stablehlo.convert %end#1 : (tensor<3xf16>) -> tensor<3xf32> // faulty
  %result = stablehlo.convert %end#1 : (tensor<3xf32>) -> tensor<3xf32> // sound
  return %result : tensor<3xf32>
}
