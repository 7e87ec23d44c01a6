// f.lower(x).as_text() of two elements, after scale = 10
module @jit_f attributes {
    mhlo.num_partitions = 1 : i32,
    mhlo.num_replicas = 1 : i32} {
  func.func public @main(
      %arg0: tensor<2xf32>)
      -> (tensor<2xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = []
        : (tensor<f32>) -> tensor<2xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<2xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = []
        : (tensor<f32>) -> tensor<2xf32>
    %3 = stablehlo.add %1, %2 : tensor<2xf32>
    return %3 : tensor<2xf32>
  }
}
