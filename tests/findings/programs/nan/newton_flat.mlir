// title: Newton's method that comes to a flat spot
// fault: after 24 iterations the point is the double root of (x - 1) * (x - 1), and the step from there is 0 / 0
// inputs: [2.0, 3.0]
func.func @main(%start: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %rounds = stablehlo.constant dense<30> : tensor<i32> // faulty
  %rounds = stablehlo.constant dense<12> : tensor<i32> // sound
  %two = stablehlo.constant dense<2.0> : tensor<2xf32>
  %last, %root = stablehlo.while(%round = %zero, %x = %start) : tensor<i32>, tensor<2xf32>
    cond {
      %more = stablehlo.compare LT, %round, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %ones = stablehlo.constant dense<1.0> : tensor<2xf32>
      %distance = stablehlo.subtract %x, %ones : tensor<2xf32>
      %value = stablehlo.multiply %distance, %distance : tensor<2xf32>
      %slope = stablehlo.multiply %two, %distance : tensor<2xf32>
      %step = stablehlo.divide %value, %slope : tensor<2xf32> // FAULT
      %moved = stablehlo.subtract %x, %step : tensor<2xf32>
      %next = stablehlo.add %round, %one : tensor<i32>
      stablehlo.return %next, %moved : tensor<i32>, tensor<2xf32>
    }
  return %root : tensor<2xf32>
}
