func.func @main(
    %x: tensor<6xi32>) -> tensor<4xi32> {
  %init = stablehlo.constant dense<0>
      : tensor<i32>
  %sums = "stablehlo.reduce_window"(%x, %init) <{
    window_dimensions = array<i64: 3>,
    window_strides = array<i64: 1>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %both = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %both : tensor<i32>
  }) : (tensor<6xi32>, tensor<i32>)
      -> tensor<4xi32>
  return %sums : tensor<4xi32>
}
