// title: The likelihood of a sequence, multiplied up in a loop
// fault: after 19 factors of about 0.01 the product is below the least normal f32
// inputs faulty: uniform[22, 4]*0.01
// inputs sound: uniform[22, 4]
func.func @main(%given: tensor<22x4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %length = stablehlo.constant dense<22> : tensor<i32>
  %floor = stablehlo.constant dense<0.002> : tensor<22x4xf32> // faulty
  %floor = stablehlo.constant dense<0.5> : tensor<22x4xf32> // sound
  %probabilities = stablehlo.maximum %given, %floor : tensor<22x4xf32>
  %start = stablehlo.constant dense<1.0> : tensor<4xf32>
  %last, %likelihood = stablehlo.while(%at = %zero, %product = %start) : tensor<i32>, tensor<4xf32>
    cond {
      %more = stablehlo.compare LT, %at, %length : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %row = stablehlo.dynamic_slice %probabilities, %at, %zero, sizes = [1, 4] : (tensor<22x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %factor = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
      %more_of_it = stablehlo.multiply %product, %factor : tensor<4xf32> // FAULT
      %next = stablehlo.add %at, %one : tensor<i32>
      stablehlo.return %next, %more_of_it : tensor<i32>, tensor<4xf32>
    }
  return %likelihood : tensor<4xf32>
}
