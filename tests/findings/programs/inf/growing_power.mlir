// title: A step size that grows by a power in a loop
// fault: 1.5 to the power of 250 is beyond f32, in the last of six iterations
// inputs: [1.0, 0.5, 0.25]
func.func @main(%gradient: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %rounds = stablehlo.constant dense<6> : tensor<i32>
  %base = stablehlo.constant dense<1.5> : tensor<3xf32>
  %stretch = stablehlo.constant dense<50.0> : tensor<3xf32> // faulty
  %stretch = stablehlo.constant dense<5.0> : tensor<3xf32> // sound
  %start = stablehlo.constant dense<0.0> : tensor<3xf32>
  %last, %weights = stablehlo.while(%round = %zero, %sum = %start) : tensor<i32>, tensor<3xf32>
    cond {
      %more = stablehlo.compare LT, %round, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %round, %one : tensor<i32>
      %number = stablehlo.convert %round : (tensor<i32>) -> tensor<f32>
      %numbers = stablehlo.broadcast_in_dim %number, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %exponent = stablehlo.multiply %numbers, %stretch : tensor<3xf32>
      %size = stablehlo.power %base, %exponent : tensor<3xf32> // FAULT
      %step = stablehlo.multiply %gradient, %size : tensor<3xf32>
      %moved = stablehlo.subtract %sum, %step : tensor<3xf32>
      stablehlo.return %next, %moved : tensor<i32>, tensor<3xf32>
    }
  return %weights : tensor<3xf32>
}
