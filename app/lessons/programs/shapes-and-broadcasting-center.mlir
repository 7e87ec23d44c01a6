func.func @main(
    %x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %start = stablehlo.constant dense<-2147483648>
      : tensor<i32>
  %largest = stablehlo.reduce(%x init: %start)
      applies stablehlo.maximum across dimensions = [1]
      : (tensor<2x3xi32>, tensor<i32>)
      -> tensor<2xi32>
  %kept = stablehlo.reshape %largest
      : (tensor<2xi32>) -> tensor<2x1xi32>
  %wide = stablehlo.broadcast_in_dim %kept,
      dims = [0, 1]
      : (tensor<2x1xi32>) -> tensor<2x3xi32>
  %shifted = stablehlo.subtract %x, %wide
      : tensor<2x3xi32>
  return %shifted : tensor<2x3xi32>
}
