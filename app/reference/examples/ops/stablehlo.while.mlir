// title: stablehlo.while
// description: Counts from 1 while it is less than 10, and adds 1 to the sum each time.
// The specification prints 10 for the sum as well, but 9 additions of 1 to 0 make 9.
func.func @main() -> (tensor<i64>, tensor<i64>) {
  %init_i = stablehlo.constant dense<1> : tensor<i64>
  %init_sum = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %ten = stablehlo.constant dense<10> : tensor<i64>
  %results0, %results1 = stablehlo.while(%i = %init_i, %sum = %init_sum) : tensor<i64>, tensor<i64>
  cond {
    %more = stablehlo.compare LT, %i, %ten : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %new_sum = stablehlo.add %sum, %one : tensor<i64>
    %new_i = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %new_i, %new_sum : tensor<i64>, tensor<i64>
  }
  check.expect_eq_const %results0, dense<10> : tensor<i64>
  check.expect_eq_const %results1, dense<9> : tensor<i64>
  return %results0, %results1 : tensor<i64>, tensor<i64>
}
