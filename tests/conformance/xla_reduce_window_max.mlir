// title: XLA: reduce_window_max
// description: ReduceWindow: the maxima of four blocks of 2 by 3.
func.func @main() -> tensor<2x2xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v = stablehlo.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0, 16.0, 17.0], [18.0, 19.0, 20.0, 21.0, 22.0, 23.0]]> : tensor<4x6xf32>
  %result = "stablehlo.reduce_window"(%v, %least) <{
    window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>,
    padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x2xf32>
  check.expect_eq_const %result, dense<[[8.0, 11.0], [20.0, 23.0]]> : tensor<2x2xf32>
  return %result : tensor<2x2xf32>
}
