// title: XLA: set_dimension_size
// description: SetDimensionSize: sums and products of the elements that count.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  %v = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]> : tensor<10xi32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %v5 = stablehlo.set_dimension_size %v, %five, dim = 0 : (tensor<10xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<10>>
  %sum5 = stablehlo.reduce(%v5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xi32, #stablehlo.bounds<10>>, tensor<i32>) -> tensor<i32>
  %product5 = stablehlo.reduce(%v5 init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<?xi32, #stablehlo.bounds<10>>, tensor<i32>) -> tensor<i32>
  %v6 = stablehlo.set_dimension_size %v, %six, dim = 0 : (tensor<10xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<10>>
  %sum6 = stablehlo.reduce(%v6 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xi32, #stablehlo.bounds<10>>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %sum5, dense<15> : tensor<i32>
  check.expect_eq_const %product5, dense<120> : tensor<i32>
  check.expect_eq_const %sum6, dense<21> : tensor<i32>
  return %sum5, %product5, %sum6 : tensor<i32>, tensor<i32>, tensor<i32>
}
