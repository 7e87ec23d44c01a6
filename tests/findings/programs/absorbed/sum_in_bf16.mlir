// title: The sum of a thousand ones, kept as bf16
// fault: from 256 on, 1 is half of the distance to the next bf16, and rounds to none
// inputs: 1000
func.func @main(%count: tensor<i32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<bf16> // faulty
  %start = stablehlo.constant dense<0.0> : tensor<f32> // sound
  %term = stablehlo.constant dense<1.0> : tensor<bf16> // faulty
  %term = stablehlo.constant dense<1.0> : tensor<f32> // sound
  %end:2 = stablehlo.while(%i = %zero, %total = %start) : tensor<i32>, tensor<bf16> // faulty
  %end:2 = stablehlo.while(%i = %zero, %total = %start) : tensor<i32>, tensor<f32> // sound
  cond {
    %more = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %sum = stablehlo.add %total, %term : tensor<bf16> // faulty FAULT
    %sum = stablehlo.add %total, %term : tensor<f32> // sound
    stablehlo.return %next, %sum : tensor<i32>, tensor<bf16> // faulty
    stablehlo.return %next, %sum : tensor<i32>, tensor<f32> // sound
  }
  %result = stablehlo.convert %end#1 : (tensor<bf16>) -> tensor<f32> // faulty
  %result = stablehlo.convert %end#1 : (tensor<f32>) -> tensor<f32> // sound
  return %result : tensor<f32>
}
