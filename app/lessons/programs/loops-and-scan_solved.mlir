// Running sums of the numbers before each position.
func.func @main(%xs: tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %rounds = stablehlo.constant dense<4> : tensor<i32>
  %blank = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<i32>) -> tensor<4xi32>
  %count, %total, %ys = stablehlo.while(
      %i = %zero,
      %so_far = %zero,
      %out = %blank
    ) : tensor<i32>, tensor<i32>, tensor<4xi32>
    cond {
      %go_on = stablehlo.compare LT, %i, %rounds, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go_on : tensor<i1>
    } do {
      %row = stablehlo.dynamic_slice %xs, %i, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
      %x = stablehlo.reshape %row : (tensor<1xi32>) -> tensor<i32>
      %sum = stablehlo.add %so_far, %x : tensor<i32>
      %y = stablehlo.reshape %so_far : (tensor<i32>) -> tensor<1xi32>
      %written = stablehlo.dynamic_update_slice %out, %y, %i : (tensor<4xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4xi32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %sum, %written : tensor<i32>, tensor<i32>, tensor<4xi32>
    }
  return %total, %ys : tensor<i32>, tensor<4xi32>
}
