// title: exp(x) - 1 for small x, in a function that a loop calls for each step
// fault: the exponential is rounded to the next bf16, and the difference keeps nothing but that
// inputs: [0.01, 0.02, 0.013]
func.func @main(%rate: tensor<3xbf16>) -> tensor<3xbf16> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<3> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<3xbf16>
  %end:2 = stablehlo.while(%i = %zero, %total = %start) : tensor<i32>, tensor<3xbf16>
  cond {
    %more = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %growth = func.call @growth(%rate) : (tensor<3xbf16>) -> tensor<3xbf16>
    %sum = stablehlo.add %total, %growth : tensor<3xbf16>
    stablehlo.return %next, %sum : tensor<i32>, tensor<3xbf16>
  }
  return %end#1 : tensor<3xbf16>
}
func.func private @growth(%rate: tensor<3xbf16>) -> tensor<3xbf16> {
  %one = stablehlo.constant dense<-1.0> : tensor<3xbf16>
  %power = stablehlo.exponential %rate : tensor<3xbf16>
  %growth = stablehlo.add %power, %one : tensor<3xbf16> // faulty FAULT
  %growth = stablehlo.exponential_minus_one %rate : tensor<3xbf16> // sound
  return %growth : tensor<3xbf16>
}
