func.func @main(
    %x: tensor<2x3xi32>)
    -> (tensor<2xi32>, tensor<3xi32>) {
  %zero = stablehlo.constant dense<0>
      : tensor<i32>
  %rows = stablehlo.reduce(%x init: %zero)
      applies stablehlo.add across dimensions = [1]
      : (tensor<2x3xi32>, tensor<i32>)
      -> tensor<2xi32>
  %columns = stablehlo.reduce(%x init: %zero)
      applies stablehlo.add across dimensions = [0]
      : (tensor<2x3xi32>, tensor<i32>)
      -> tensor<3xi32>
  return %rows, %columns
    : tensor<2xi32>, tensor<3xi32>
}
