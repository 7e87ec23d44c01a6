// One product for two devices, before Shardy: global
// shapes, and shardings of the arguments.
module @annotated attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2]>
  func.func public @main(
      %x: tensor<4x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %w: tensor<2x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<4x4xi32> {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x2xi32>, tensor<2x4xi32>) -> tensor<4x4xi32>
    return %y : tensor<4x4xi32>
  }
}
