func.func @main(
    %queries: tensor<3x2x4xi32>,
    %keys: tensor<5x2x4xi32>)
    -> tensor<2x3x5xi32> {
  %scores = stablehlo.dot_general %queries, %keys,
      batching_dims = [1] x [1],
      contracting_dims = [2] x [2]
      : (tensor<3x2x4xi32>, tensor<5x2x4xi32>)
      -> tensor<2x3x5xi32>
  return %scores : tensor<2x3x5xi32>
}
