// x[i] += x[i - 1] for i = 1, 2, 3, 4, in the memory of x.
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %from = stablehlo.constant dense<1> : tensor<i32>
  %step = stablehlo.constant dense<1> : tensor<i32>
  %done, %i_after, %result = stablehlo.while(
      %round = %zero,
      %i = %from,
      %memory = %x
    ) : tensor<i32>, tensor<i32>, tensor<5xf32>
    cond {
      %rounds = stablehlo.constant dense<4> : tensor<i32>
      %go_on = stablehlo.compare LT, %round, %rounds, SIGNED
          : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go_on : tensor<i1>
    } do {
      %before = stablehlo.subtract %i, %one : tensor<i32>
      %own = stablehlo.dynamic_slice %memory, %i, sizes = [1]
          : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
      %other = stablehlo.dynamic_slice %memory, %before, sizes = [1]
          : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
      %sum = stablehlo.add %own, %other : tensor<1xf32>
      %written = stablehlo.dynamic_update_slice %memory, %sum, %i
          : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> tensor<5xf32>
      %next_round = stablehlo.add %round, %one : tensor<i32>
      %next_i = stablehlo.add %i, %step : tensor<i32>
      stablehlo.return %next_round, %next_i, %written
          : tensor<i32>, tensor<i32>, tensor<5xf32>
    }
  return %result : tensor<5xf32>
}
