// The kernel of turn(x, b) = x.T * b + 1, as XLA
// writes it: one round for each element of the result.
// %x is the memory of a 3x4 matrix, row by row.
func.func @main(%x: tensor<12xf32>, %b: tensor<3xf32>)
    -> tensor<12xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<12xf32>
  %done, %result = stablehlo.while(
      %round = %first,
      %memory = %empty
    ) : tensor<i32>, tensor<12xf32>
    cond {
      %rounds = stablehlo.constant dense<12> : tensor<i32>
      %go_on = stablehlo.compare LT, %round, %rounds, SIGNED
          : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go_on : tensor<i1>
    } do {
      // Which element of the 4x3 result is it?
      %columns = stablehlo.constant dense<3> : tensor<i32>
      %row = stablehlo.divide %round, %columns : tensor<i32>
      %column = stablehlo.remainder %round, %columns : tensor<i32>
      // Where is the element of x that it needs?
      %width = stablehlo.constant dense<4> : tensor<i32>
      %start = stablehlo.multiply %column, %width : tensor<i32>
      %address = stablehlo.add %start, %row : tensor<i32>
      // The ops of the fusion, on one element.
      %read = stablehlo.dynamic_slice %x, %address, sizes = [1]
          : (tensor<12xf32>, tensor<i32>) -> tensor<1xf32>
      %factor = stablehlo.dynamic_slice %b, %column, sizes = [1]
          : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
      %product = stablehlo.multiply %read, %factor : tensor<1xf32>
      %one = stablehlo.constant dense<1.0> : tensor<1xf32>
      %value = stablehlo.add %product, %one : tensor<1xf32>
      %written = stablehlo.dynamic_update_slice %memory, %value, %round
          : (tensor<12xf32>, tensor<1xf32>, tensor<i32>) -> tensor<12xf32>
      %step = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %round, %step : tensor<i32>
      stablehlo.return %next, %written : tensor<i32>, tensor<12xf32>
    }
  return %result : tensor<12xf32>
}
