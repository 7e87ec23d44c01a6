// title: XLA: select
// description: Select with a predicate for each element, and with one for all.
func.func @main() -> (tensor<4xi32>, tensor<4xi32>) {
  %pred = stablehlo.constant dense<[true, false, false, true]> : tensor<4xi1>
  %v1 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %v2 = stablehlo.constant dense<[100, 200, 300, 400]> : tensor<4xi32>
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %mixed = stablehlo.select %pred, %v1, %v2 : tensor<4xi1>, tensor<4xi32>
  %whole = stablehlo.select %yes, %v1, %v2 : tensor<i1>, tensor<4xi32>
  check.expect_eq_const %mixed, dense<[1, 200, 300, 4]> : tensor<4xi32>
  check.expect_eq_const %whole, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return %mixed, %whole : tensor<4xi32>, tensor<4xi32>
}
