// title: XLA: reduce_vector
// description: Reduce of four numbers; whichever way they are paired, the sum is 46.
func.func @main() -> tensor<i32> {
  %x = stablehlo.constant dense<[10, 11, 12, 13]> : tensor<4xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %sum, dense<46> : tensor<i32>
  return %sum : tensor<i32>
}
