// jax.jit(power, static_argnums=1).lower(x, 3).as_text()
module @jit_power attributes {
    mhlo.num_partitions = 1 : i32,
    mhlo.num_replicas = 1 : i32} {
  func.func public @main(
      %arg0: tensor<4xf32>)
      -> (tensor<4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.multiply %0, %arg0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
