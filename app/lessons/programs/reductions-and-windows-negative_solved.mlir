func.func @main(
    %x: tensor<4x4xi32>) -> tensor<2x2xi32> {
  %init = stablehlo.constant dense<-2147483648>
      : tensor<i32>
  %pooled = "stablehlo.reduce_window"(%x, %init) <{
    window_dimensions = array<i64: 2, 2>,
    window_strides = array<i64: 2, 2>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %both = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %both : tensor<i32>
  }) : (tensor<4x4xi32>, tensor<i32>)
      -> tensor<2x2xi32>
  return %pooled : tensor<2x2xi32>
}
