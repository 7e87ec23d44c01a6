func.func @main(
    %x: tensor<2x3xi32>) -> tensor<2xi32> {
  %zero = stablehlo.constant dense<0>
      : tensor<i32>
  %largest = stablehlo.reduce(%x init: %zero)
      applies stablehlo.maximum across dimensions = [1]
      : (tensor<2x3xi32>, tensor<i32>)
      -> tensor<2xi32>
  return %largest : tensor<2xi32>
}
