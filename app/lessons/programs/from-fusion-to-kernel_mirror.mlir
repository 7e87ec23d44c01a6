// A kernel of jnp.flip(x, 1)[1:] * 2: 8 rounds.
// %x is the memory of a 3x4 matrix, row by row.
func.func @main(%x: tensor<12xf32>) -> tensor<8xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<8xf32>
  %done, %result = stablehlo.while(
      %round = %first,
      %memory = %empty
    ) : tensor<i32>, tensor<8xf32>
    cond {
      %rounds = stablehlo.constant dense<8> : tensor<i32>
      %go_on = stablehlo.compare LT, %round, %rounds, SIGNED
          : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go_on : tensor<i1>
    } do {
      // Which element of the 2x4 result is it?
      %columns = stablehlo.constant dense<4> : tensor<i32>
      %row = stablehlo.divide %round, %columns : tensor<i32>
      %column = stablehlo.remainder %round, %columns : tensor<i32>
      // Where is the element of x that it needs?
      %skipped = stablehlo.constant dense<0> : tensor<i32>
      %from_row = stablehlo.add %row, %skipped : tensor<i32>
      %last = stablehlo.constant dense<4> : tensor<i32>
      %from_column = stablehlo.subtract %last, %column : tensor<i32>
      %start = stablehlo.multiply %from_row, %columns : tensor<i32>
      %address = stablehlo.add %start, %from_column : tensor<i32>
      // The ops of the fusion, on one element.
      %read = stablehlo.dynamic_slice %x, %address, sizes = [1]
          : (tensor<12xf32>, tensor<i32>) -> tensor<1xf32>
      %value = stablehlo.add %read, %read : tensor<1xf32>
      %written = stablehlo.dynamic_update_slice %memory, %value, %round
          : (tensor<8xf32>, tensor<1xf32>, tensor<i32>) -> tensor<8xf32>
      %step = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %round, %step : tensor<i32>
      stablehlo.return %next, %written : tensor<i32>, tensor<8xf32>
    }
  return %result : tensor<8xf32>
}
