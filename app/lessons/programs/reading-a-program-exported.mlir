module @jit_bill attributes {
    mhlo.num_partitions = 1 : i32,
    mhlo.num_replicas = 1 : i32} {
  func.func public @main(
      %arg0: tensor<3xf32>,
      %arg1: tensor<3xf32>)
      -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.multiply %arg0, %arg1
        : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00>
        : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst)
        applies stablehlo.add across dimensions = [0]
        : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<2.000000e+01>
        : tensor<f32>
    %2 = stablehlo.compare GT, %1, %cst_0, FLOAT
        : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_1 = stablehlo.constant dense<2.000000e+00>
        : tensor<f32>
    %3 = stablehlo.subtract %1, %cst_1
        : tensor<f32>
    %4 = call @_where(%2, %3, %1)
        : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    return %4 : tensor<f32>
  }
  func.func private @_where(
      %arg0: tensor<i1>,
      %arg1: tensor<f32>,
      %arg2: tensor<f32>)
      -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2
        : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
}
