// jax.jit(mix).lower(w, h, s).as_text()
module @jit_mix attributes {
    mhlo.num_partitions = 1 : i32,
    mhlo.num_replicas = 1 : i32} {
  func.func public @main(
      %arg0: tensor<2x3xf32>,
      %arg1: tensor<2x3xbf16>,
      %arg2: tensor<3xf32>)
      -> (tensor<2x3xf32> {jax.result_info = "result[0]"}, tensor<2x2xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [1]
        : (tensor<3xf32>) -> tensor<1x3xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1]
        : (tensor<1x3xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<2x3xf32>
    %3 = stablehlo.convert %arg1 : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0]
        : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %5 = stablehlo.dot_general %arg0, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT]
        : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    return %2, %5 : tensor<2x3xf32>, tensor<2x2xf32>
  }
}
