// def next(x): return x + 1
// jax.jit(next).lower(x).as_text() of bf16
module @jit_next attributes {
    mhlo.num_partitions = 1 : i32,
    mhlo.num_replicas = 1 : i32} {
  func.func public @main(
      %arg0: tensor<3xbf16>)
      -> (tensor<3xbf16> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = []
        : (tensor<bf16>) -> tensor<3xbf16>
    %1 = stablehlo.add %arg0, %0 : tensor<3xbf16>
    return %1 : tensor<3xbf16>
  }
}
