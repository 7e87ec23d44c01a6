// title: XLA: select_and_scatter_padded
// description: SelectAndScatter at a stride of 1, where one element wins three windows, and with padding.
func.func @main() -> (tensor<2x5xf32>, tensor<2x5xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %operand = stablehlo.constant dense<[[7.0, 2.0, 5.0, 3.0, 8.0], [3.0, 8.0, 9.0, 3.0, 4.0]]> : tensor<2x5xf32>
  %source = stablehlo.constant dense<[[2.0, 6.0, 4.0]]> : tensor<1x3xf32>
  %all = "stablehlo.select_and_scatter"(%operand, %source, %zero) <{
    window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %keep = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %keep : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %sum = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<2x5xf32>, tensor<1x3xf32>, tensor<f32>) -> tensor<2x5xf32>
  %same = "stablehlo.select_and_scatter"(%operand, %source, %zero) <{
    window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>, padding = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %keep = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %keep : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %sum = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<2x5xf32>, tensor<1x3xf32>, tensor<f32>) -> tensor<2x5xf32>
  check.expect_eq_const %all, dense<[[0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 12.0, 0.0, 0.0]]> : tensor<2x5xf32>
  check.expect_eq_const %same, dense<[[0.0, 0.0, 0.0, 0.0, 4.0], [0.0, 2.0, 6.0, 0.0, 0.0]]> : tensor<2x5xf32>
  return %all, %same : tensor<2x5xf32>, tensor<2x5xf32>
}
