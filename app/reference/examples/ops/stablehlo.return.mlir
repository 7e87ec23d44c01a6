// title: stablehlo.return
// description: Ends a region and returns its values to the op that runs it: here the sum of two elements, to the reduction.
func.func @main() -> tensor<2xi32> {
  %input = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %init_value = stablehlo.constant dense<0> : tensor<i32>
  %result = stablehlo.reduce(%input init: %init_value) across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  reducer(%sum: tensor<i32>, %element: tensor<i32>) {
    %next = stablehlo.add %sum, %element : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  check.expect_eq_const %result, dense<[6, 15]> : tensor<2xi32>
  return %result : tensor<2xi32>
}
