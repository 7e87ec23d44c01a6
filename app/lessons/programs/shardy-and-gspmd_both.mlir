// One dimension, cut along both axes of a mesh.
module @both attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=2]>
  func.func public @main(%table: tensor<8x3xi32>) -> tensor<8x3xi32> {
    %out = sdy.manual_computation(%table)
        in_shardings=[<@mesh, [{"data", "model"}, {}]>]
        out_shardings=[<@mesh, [{"data", "model"}, {}]>] manual_axes={"data", "model"}
        (%mine: tensor<2x3xi32>) {
      %doubled = stablehlo.add %mine, %mine : tensor<2x3xi32>
      sdy.return %doubled : tensor<2x3xi32>
    } : (tensor<8x3xi32>) -> tensor<8x3xi32>
    return %out : tensor<8x3xi32>
  }
}
