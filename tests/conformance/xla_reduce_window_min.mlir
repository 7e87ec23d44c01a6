// title: XLA: reduce_window_min
// description: ReduceWindow: minima of windows of 3 at a stride of 2, without padding (VALID) and with it (SAME).
func.func @main() -> (tensor<2xf32>, tensor<3xf32>) {
  %v = stablehlo.constant dense<[10000.0, 1000.0, 100.0, 10.0, 1.0]> : tensor<5xf32>
  %most = stablehlo.constant dense<0x7F7FFFFF> : tensor<f32>
  %valid = "stablehlo.reduce_window"(%v, %most) <{
    window_dimensions = array<i64: 3>, window_strides = array<i64: 2>,
    padding = dense<[[0, 0]]> : tensor<1x2xi64>
  }> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.minimum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> tensor<2xf32>
  %same = "stablehlo.reduce_window"(%v, %most) <{
    window_dimensions = array<i64: 3>, window_strides = array<i64: 2>,
    padding = dense<[[1, 1]]> : tensor<1x2xi64>
  }> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.minimum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %valid, dense<[100.0, 1.0]> : tensor<2xf32>
  check.expect_eq_const %same, dense<[1000.0, 10.0, 1.0]> : tensor<3xf32>
  return %valid, %same : tensor<2xf32>, tensor<3xf32>
}
