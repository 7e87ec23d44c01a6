// title: stablehlo.select_and_scatter
// description: Selects the largest element of each window of three rows, and adds the source at its position.
func.func @main() -> tensor<4x2xi64> {
  %operand = stablehlo.constant dense<[[1, 5], [2, 5], [3, 6], [4, 4]]> : tensor<4x2xi64>
  %source = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi64>
  %init_value = stablehlo.constant dense<0> : tensor<i64>
  %result = "stablehlo.select_and_scatter"(%operand, %source, %init_value) <{
    window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>,
    padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%kept: tensor<i64>, %candidate: tensor<i64>):
    %keep = stablehlo.compare GE, %kept, %candidate : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %keep : tensor<i1>
  }, {
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %sum = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %sum : tensor<i64>
  }) : (tensor<4x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<4x2xi64>
  check.expect_eq_const %result, dense<[[0, 0], [0, 0], [5, 14], [7, 0]]> : tensor<4x2xi64>
  return %result : tensor<4x2xi64>
}
