func.func @main(
    %a: tensor<3xi32>,
    %b: tensor<3xi32>) -> tensor<3x3xi32> {
  %a_wide = stablehlo.broadcast_in_dim %a, dims = [0]
      : (tensor<3xi32>) -> tensor<3x3xi32>
  %b_wide = stablehlo.broadcast_in_dim %b, dims = [1]
      : (tensor<3xi32>) -> tensor<3x3xi32>
  %table = stablehlo.multiply %a_wide, %b_wide
      : tensor<3x3xi32>
  return %table : tensor<3x3xi32>
}
