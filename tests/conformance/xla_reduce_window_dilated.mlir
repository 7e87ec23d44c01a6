// title: XLA: reduce_window_dilated
// description: ReduceWindow with padding, dilations and strides at once.
func.func @main() -> tensor<2x2xi32> {
  %v = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %result = "stablehlo.reduce_window"(%v, %zero) <{
    window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>,
    padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %result, dense<[[0, 0], [3, 4]]> : tensor<2x2xi32>
  return %result : tensor<2x2xi32>
}
