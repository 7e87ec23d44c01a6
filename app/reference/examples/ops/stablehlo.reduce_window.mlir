// title: stablehlo.reduce_window
// description: Sums over windows of a padded input whose rows are two apart.
func.func @main() -> tensor<2x2xi64> {
  %input = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>
  %init_value = stablehlo.constant dense<0> : tensor<i64>
  %result = "stablehlo.reduce_window"(%input, %init_value) <{
    window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>,
    base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>,
    padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %sum = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %sum : tensor<i64>
  }) : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  check.expect_eq_const %result, dense<[[0, 0], [3, 4]]> : tensor<2x2xi64>
  return %result : tensor<2x2xi64>
}
