func.func @main(
    %x: tensor<5xi32>) -> tensor<5xi32> {
  %init = stablehlo.constant dense<0>
      : tensor<i32>
  %running = "stablehlo.reduce_window"(%x, %init) <{
    window_dimensions = array<i64: 5>,
    window_strides = array<i64: 1>,
    padding = dense<[[4, 0]]> : tensor<1x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %both = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %both : tensor<i32>
  }) : (tensor<5xi32>, tensor<i32>)
      -> tensor<5xi32>
  return %running : tensor<5xi32>
}
