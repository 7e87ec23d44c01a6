// title: A loop whose second counter is an i8
// fault: 127 + 1 is -128 in i8: the slices start again at the front
// inputs: iota
func.func @main(%signal: tensor<140xf32>) -> tensor<1xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %length = stablehlo.constant dense<140> : tensor<i32>
  %start = stablehlo.constant dense<0> : tensor<i8> // faulty
  %stride = stablehlo.constant dense<1> : tensor<i8> // faulty
  %start = stablehlo.constant dense<0> : tensor<ui8> // sound
  %stride = stablehlo.constant dense<1> : tensor<ui8> // sound
  %none = stablehlo.constant dense<0.0> : tensor<1xf32>
  %last, %end, %total = stablehlo.while(%round = %zero, %at = %start, %sum = %none) : tensor<i32>, tensor<i8>, tensor<1xf32> // faulty
  %last, %end, %total = stablehlo.while(%round = %zero, %at = %start, %sum = %none) : tensor<i32>, tensor<ui8>, tensor<1xf32> // sound
    cond {
      %more = stablehlo.compare LT, %round, %length : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %sample = stablehlo.dynamic_slice %signal, %at, sizes = [1] : (tensor<140xf32>, tensor<i8>) -> tensor<1xf32> // faulty
      %sample = stablehlo.dynamic_slice %signal, %at, sizes = [1] : (tensor<140xf32>, tensor<ui8>) -> tensor<1xf32> // sound
      %more_of_it = stablehlo.add %sum, %sample : tensor<1xf32>
      %moved = stablehlo.add %at, %stride : tensor<i8> // faulty FAULT
      %moved = stablehlo.add %at, %stride : tensor<ui8> // sound
      %next = stablehlo.add %round, %one : tensor<i32>
      stablehlo.return %next, %moved, %more_of_it : tensor<i32>, tensor<i8>, tensor<1xf32> // faulty
      stablehlo.return %next, %moved, %more_of_it : tensor<i32>, tensor<ui8>, tensor<1xf32> // sound
    }
  return %total : tensor<1xf32>
}
