// title: A series in bf16 whose terms get no smaller, beside one that converges
// fault: 1 is too small beside 256; the terms of the other series are as small, but so is what they add up to
// inputs: 0
func.func @main(%first: tensor<bf16>) -> tensor<bf16> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<600> : tensor<i32>
  %term = stablehlo.constant dense<1.0> : tensor<bf16>
  %ratio = stablehlo.constant dense<1.0> : tensor<bf16> // faulty
  %ratio = stablehlo.constant dense<0.5> : tensor<bf16> // sound
  %end:3 = stablehlo.while(%i = %zero, %total = %first, %x = %term) : tensor<i32>, tensor<bf16>, tensor<bf16>
  cond {
    %more = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %sum = stablehlo.add %total, %x : tensor<bf16> // FAULT
    %smaller = stablehlo.multiply %x, %ratio : tensor<bf16>
    stablehlo.return %next, %sum, %smaller : tensor<i32>, tensor<bf16>, tensor<bf16>
  }
  return %end#1 : tensor<bf16>
}
