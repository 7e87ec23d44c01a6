// w1 cut into rows this time, and relu. Something is
// added up too late.
module @rows attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["model"=2]>
  func.func public @main(%x: tensor<2x4xf32>, %w1: tensor<4x2xf32>) -> tensor<2x2xf32> {
    %y = sdy.manual_computation(%x, %w1)
        in_shardings=[
          <@mesh, [{}, {"model"}]>,
          <@mesh, [{"model"}, {}]>]
        out_shardings=[<@mesh, [{}, {}]>] manual_axes={"model"}
        (%x_columns: tensor<2x2xf32>, %w1_rows: tensor<2x2xf32>) {
      %partial = stablehlo.dot_general %x_columns, %w1_rows, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      %zeros = stablehlo.constant dense<0.0> : tensor<2x2xf32>
      %hidden = stablehlo.maximum %partial, %zeros : tensor<2x2xf32>
      %sum = "stablehlo.all_reduce"(%hidden) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %added = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %added : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      sdy.return %sum : tensor<2x2xf32>
    } : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  }
}
