// title: chlo.top_k
// description: The largest two elements of each row and their indices; equal elements keep their order.
func.func @main() -> (tensor<2x2xf32>, tensor<2x2xi32>) {
  %operand = stablehlo.constant dense<[[1.0, 3.0, 2.0, 3.0], [4.0, 0.0, -1.0, 2.0]]> : tensor<2x4xf32>
  %values, %indices = chlo.top_k(%operand, k = 2) : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %values, dense<[[3.0, 3.0], [4.0, 2.0]]> : tensor<2x2xf32>
  check.expect_eq_const %indices, dense<[[1, 3], [0, 3]]> : tensor<2x2xi32>
  return %values, %indices : tensor<2x2xf32>, tensor<2x2xi32>
}
