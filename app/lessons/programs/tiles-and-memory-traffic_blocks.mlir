// The same product in blocks of 2x2 of the result: each
// round reads two rows of %a and two columns of %b.
func.func @main(%a: tensor<4x4xi32>, %b: tensor<4x4xi32>) -> (tensor<4x4xi32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %rounds = stablehlo.constant dense<4> : tensor<i32>
  %per_round = stablehlo.constant dense<16> : tensor<i32>
  %blank = stablehlo.constant dense<0> : tensor<4x4xi32>
  %i, %product, %traffic = stablehlo.while(%round = %zero, %so_far = %blank, %read = %zero)
      : tensor<i32>, tensor<4x4xi32>, tensor<i32>
    cond {
      %go_on = stablehlo.compare LT, %round, %rounds, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go_on : tensor<i1>
    } do {
      %block_row = stablehlo.divide %round, %two : tensor<i32>
      %block_column = stablehlo.remainder %round, %two : tensor<i32>
      %top = stablehlo.multiply %block_row, %two : tensor<i32>
      %left = stablehlo.multiply %block_column, %two : tensor<i32>
      %rows = stablehlo.dynamic_slice %a, %top, %zero, sizes = [2, 4] : (tensor<4x4xi32>, tensor<i32>, tensor<i32>) -> tensor<2x4xi32>
      %columns = stablehlo.dynamic_slice %b, %zero, %left, sizes = [4, 2] : (tensor<4x4xi32>, tensor<i32>, tensor<i32>) -> tensor<4x2xi32>
      %block = stablehlo.dot_general %rows, %columns, contracting_dims = [1] x [0] : (tensor<2x4xi32>, tensor<4x2xi32>) -> tensor<2x2xi32>
      %written = stablehlo.dynamic_update_slice %so_far, %block, %top, %left : (tensor<4x4xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<4x4xi32>
      %more = stablehlo.add %read, %per_round : tensor<i32>
      %next = stablehlo.add %round, %one : tensor<i32>
      stablehlo.return %next, %written, %more : tensor<i32>, tensor<4x4xi32>, tensor<i32>
    }
  return %product, %traffic : tensor<4x4xi32>, tensor<i32>
}
