// title: XLA: while
// description: While: a thousand additions of one vector.
func.func @main() -> (tensor<i32>, tensor<10xf32>) {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<10xf32>
  %limit = stablehlo.constant dense<1000> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %c = stablehlo.constant dense<0.5> : tensor<10xf32>
  %n, %sum = stablehlo.while(%i = %start, %acc = %zeros) : tensor<i32>, tensor<10xf32>
  cond {
    %more = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %added = stablehlo.add %acc, %c : tensor<10xf32>
    stablehlo.return %next, %added : tensor<i32>, tensor<10xf32>
  }
  check.expect_eq_const %n, dense<1000> : tensor<i32>
  check.expect_eq_const %sum, dense<500.0> : tensor<10xf32>
  return %n, %sum : tensor<i32>, tensor<10xf32>
}
