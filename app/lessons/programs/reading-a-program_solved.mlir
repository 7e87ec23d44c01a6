func.func @main(
    %prices: tensor<3xi32>,
    %amounts: tensor<2x3xi32>) -> tensor<2xi32> {
  %rows = stablehlo.broadcast_in_dim %prices,
      dims = [1]
      : (tensor<3xi32>) -> tensor<2x3xi32>
  %costs = stablehlo.multiply %rows, %amounts
      : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0>
      : tensor<i32>
  %totals = stablehlo.reduce(%costs init: %zero)
      applies stablehlo.add across dimensions = [1]
      : (tensor<2x3xi32>, tensor<i32>)
      -> tensor<2xi32>
  %delivery = stablehlo.constant dense<5>
      : tensor<2xi32>
  %final = stablehlo.add %totals, %delivery
      : tensor<2xi32>
  return %final : tensor<2xi32>
}
