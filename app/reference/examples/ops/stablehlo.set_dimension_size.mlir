// title: stablehlo.set_dimension_size
// description: From here on only the first five of ten elements count: their sum is 15.
func.func @main() -> (tensor<i32>, tensor<i32>) {
  %operand = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]> : tensor<10xi32>
  %size = stablehlo.constant dense<5> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %result = stablehlo.set_dimension_size %operand, %size, dim = 0 : (tensor<10xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<10>>
  %length = stablehlo.get_dimension_size %result, dim = 0 : (tensor<?xi32, #stablehlo.bounds<10>>) -> tensor<i32>
  %sum = stablehlo.reduce(%result init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xi32, #stablehlo.bounds<10>>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %length, dense<5> : tensor<i32>
  check.expect_eq_const %sum, dense<15> : tensor<i32>
  return %length, %sum : tensor<i32>, tensor<i32>
}
