// relu(x * w1) * w2 on two processes: x is cut into
// rows, the weights are whole.
module @batch attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2]>
  func.func public @main(%x: tensor<2x3xf32>, %w1: tensor<3x4xf32>, %w2: tensor<4x2xf32>) -> tensor<2x2xf32> {
    %y = sdy.manual_computation(%x, %w1, %w2)
        in_shardings=[
          <@mesh, [{"data"}, {}]>,
          <@mesh, [{}, {}]>,
          <@mesh, [{}, {}]>]
        out_shardings=[<@mesh, [{"data"}, {}]>] manual_axes={"data"}
        (%x_row: tensor<1x3xf32>, %w1_whole: tensor<3x4xf32>, %w2_whole: tensor<4x2xf32>) {
      %before = stablehlo.dot_general %x_row, %w1_whole, contracting_dims = [1] x [0] : (tensor<1x3xf32>, tensor<3x4xf32>) -> tensor<1x4xf32>
      %zeros = stablehlo.constant dense<0.0> : tensor<1x4xf32>
      %hidden = stablehlo.maximum %before, %zeros : tensor<1x4xf32>
      %result = stablehlo.dot_general %hidden, %w2_whole, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
      sdy.return %result : tensor<1x2xf32>
    } : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  }
}
