// Adds the numbers 0, 1, 2, … up to %n - 1.
func.func @main(%n: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count, %total = stablehlo.while(
      %i = %zero,
      %sum = %zero
    ) : tensor<i32>, tensor<i32>
    cond {
      %go_on = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go_on : tensor<i1>
    } do {
      %more = stablehlo.add %sum, %i : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %more : tensor<i32>, tensor<i32>
    }
  return %count, %total : tensor<i32>, tensor<i32>
}
