// The divisor is the number of valid elements.
module @jit_mean attributes {
    mhlo.num_partitions = 1 : i32,
    mhlo.num_replicas = 1 : i32} {
  func.func public @main(
      %arg0: tensor<8xf32>,
      %arg1: tensor<i32>)
      -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = []
        : (tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED
        : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = call @_where(%2, %arg0, %c)
        : (tensor<8xi1>, tensor<8xf32>, tensor<i32>) -> tensor<8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [0]
        : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %5 = stablehlo.divide %4, %cst_0 : tensor<f32>
    return %5 : tensor<f32>
  }
  func.func private @_where(
      %arg0: tensor<8xi1>,
      %arg1: tensor<8xf32>,
      %arg2: tensor<i32>)
      -> tensor<8xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = []
        : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<8xi1>, tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
