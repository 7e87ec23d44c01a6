// A product row by row: each round reads one row of %a
// and all of %b, and counts what it reads.
func.func @main(%a: tensor<4x4xi32>, %b: tensor<4x4xi32>) -> (tensor<4x4xi32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %rounds = stablehlo.constant dense<4> : tensor<i32>
  %per_round = stablehlo.constant dense<20> : tensor<i32>
  %blank = stablehlo.constant dense<0> : tensor<4x4xi32>
  %i, %product, %traffic = stablehlo.while(%round = %zero, %so_far = %blank, %read = %zero)
      : tensor<i32>, tensor<4x4xi32>, tensor<i32>
    cond {
      %go_on = stablehlo.compare LT, %round, %rounds, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go_on : tensor<i1>
    } do {
      %row = stablehlo.dynamic_slice %a, %round, %zero, sizes = [1, 4] : (tensor<4x4xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4xi32>
      %part = stablehlo.dot_general %row, %b, contracting_dims = [1] x [0] : (tensor<1x4xi32>, tensor<4x4xi32>) -> tensor<1x4xi32>
      %written = stablehlo.dynamic_update_slice %so_far, %part, %round, %zero : (tensor<4x4xi32>, tensor<1x4xi32>, tensor<i32>, tensor<i32>) -> tensor<4x4xi32>
      %more = stablehlo.add %read, %per_round : tensor<i32>
      %next = stablehlo.add %round, %one : tensor<i32>
      stablehlo.return %next, %written, %more : tensor<i32>, tensor<4x4xi32>, tensor<i32>
    }
  return %product, %traffic : tensor<4x4xi32>, tensor<i32>
}
