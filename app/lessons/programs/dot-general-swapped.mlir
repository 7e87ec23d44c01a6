module @jit_scores attributes {
    mhlo.num_partitions = 1 : i32,
    mhlo.num_replicas = 1 : i32} {
  func.func public @main(
      %arg0: tensor<3x2x4xi32>,
      %arg1: tensor<5x2x4xi32>)
      -> (tensor<3x2x5xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg1, %arg0,
        batching_dims = [1] x [1],
        contracting_dims = [2] x [2],
        precision = [DEFAULT, DEFAULT]
        : (tensor<5x2x4xi32>, tensor<3x2x4xi32>) -> tensor<2x5x3xi32>
    %1 = stablehlo.transpose %0, dims = [2, 0, 1]
        : (tensor<2x5x3xi32>) -> tensor<3x2x5xi32>
    return %1 : tensor<3x2x5xi32>
  }
}
