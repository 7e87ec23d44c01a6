// title: Decoding with a cache of keys that is full
// fault: the sixth key is written to place 5 of a cache of five: it replaces the one before
// inputs: normal
func.func @main(%keys: tensor<6x4xf32>) -> tensor<5x4xf32> { // faulty
func.func @main(%keys: tensor<6x4xf32>) -> tensor<6x4xf32> { // sound
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<6> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<5x4xf32> // faulty
  %last, %full = stablehlo.while(%at = %zero, %cache = %empty) : tensor<i32>, tensor<5x4xf32> // faulty
  %empty = stablehlo.constant dense<0.0> : tensor<6x4xf32> // sound
  %last, %full = stablehlo.while(%at = %zero, %cache = %empty) : tensor<i32>, tensor<6x4xf32> // sound
    cond {
      %more = stablehlo.compare LT, %at, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %key = stablehlo.dynamic_slice %keys, %at, %zero, sizes = [1, 4] : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %next = stablehlo.add %at, %one : tensor<i32>
      %longer = stablehlo.dynamic_update_slice %cache, %key, %at, %zero : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32> // faulty FAULT
      stablehlo.return %next, %longer : tensor<i32>, tensor<5x4xf32> // faulty
      %longer = stablehlo.dynamic_update_slice %cache, %key, %at, %zero : (tensor<6x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32> // sound
      stablehlo.return %next, %longer : tensor<i32>, tensor<6x4xf32> // sound
    }
  return %full : tensor<5x4xf32> // faulty
  return %full : tensor<6x4xf32> // sound
}
