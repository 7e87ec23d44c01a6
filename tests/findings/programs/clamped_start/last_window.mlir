// title: Windows of a signal, the last of which does not fit
// fault: the window of 4 at 8 does not fit into 10 samples and is moved to 6
// inputs: iota
func.func @main(%signal: tensor<10xf32>) -> tensor<4xf32> { // faulty
func.func @main(%signal: tensor<12xf32>) -> tensor<4xf32> { // sound
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %length = stablehlo.constant dense<12> : tensor<i32>
  %stride = stablehlo.constant dense<4> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<4xf32>
  %last, %total = stablehlo.while(%at = %zero, %sum = %none) : tensor<i32>, tensor<4xf32>
    cond {
      %more = stablehlo.compare LT, %at, %length : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %window = stablehlo.dynamic_slice %signal, %at, sizes = [4] : (tensor<10xf32>, tensor<i32>) -> tensor<4xf32> // faulty FAULT
      %window = stablehlo.dynamic_slice %signal, %at, sizes = [4] : (tensor<12xf32>, tensor<i32>) -> tensor<4xf32> // sound
      %more_of_it = stablehlo.add %sum, %window : tensor<4xf32>
      %next = stablehlo.add %at, %stride : tensor<i32>
      stablehlo.return %next, %more_of_it : tensor<i32>, tensor<4xf32>
    }
  return %total : tensor<4xf32>
}
