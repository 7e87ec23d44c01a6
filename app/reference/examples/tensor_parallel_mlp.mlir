// title: Tensor-parallel MLP
// description: Four processes each have a quarter of each weight matrix; their only communication is one sum at the end.
// inputs: normal*0.4; normal*0.2; normal*0.25; normal
// Two layers, relu(x * w1 + b1) * w2, too wide for one
// device: each of four has a quarter of the hidden
// units. Exported from JAX (shard_map, psum); names and
// comments were added.
module @jit_tensor_parallel_mlp attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["model"=4]> {stablehlo.mesh = {axes = [{name = "model", size = 4 : i64}]}}
  // Four processes run @main. Outside the manual
  // computation, each of them has every value whole.
  func.func public @main(%w1: tensor<12x32xf32>, %b1: tensor<32xf32>, %w2: tensor<32x12xf32>, %x: tensor<8x12xf32>) -> (tensor<8x12xf32> {jax.result_info = "result"}) {
    // Step into (F11): inside, each process has its own
    // part, as in_shardings states: a quarter of the
    // columns of w1, a quarter of the rows of w2, all of
    // x. Select %w1 and open Assembled in the grid,
    // which outlines the parts; then view %w1_columns in
    // one process after the other.
    %result = sdy.manual_computation(%w1, %b1, %w2, %x) in_shardings=[<@mesh, [{}, {"model"}]>, <@mesh, [{"model"}]>, <@mesh, [{"model"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"model"} (%w1_columns: tensor<12x8xf32>, %b1_part: tensor<8xf32>, %w2_rows: tensor<8x12xf32>, %all_of_x: tensor<8x12xf32>) {
      // Column parallel: all of x times some columns of
      // w1 is some complete columns of the hidden layer.
      // Each process computes eight of the 32 hidden
      // units, bias and relu included, without data from
      // the other processes.
      %product = stablehlo.dot_general %all_of_x, %w1_columns, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf32>, tensor<12x8xf32>) -> tensor<8x8xf32>
      %bias_row = stablehlo.broadcast_in_dim %b1_part, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
      %bias = stablehlo.broadcast_in_dim %bias_row, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<8x8xf32>
      %before = stablehlo.add %product, %bias : tensor<8x8xf32>
      %hidden = func.call @relu(%before) : (tensor<8x8xf32>) -> tensor<8x8xf32>
      // Row parallel: some columns of the hidden layer
      // times the same rows of w2. The product has the
      // shape of the result, but each element is only a
      // quarter of its sum. Compare, in the grid, shows
      // that every element of %partial differs.
      %partial = stablehlo.dot_general %hidden, %w2_rows, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>
      // The only communication of both layers adds the
      // four quarters (JAX's psum). Play it under Data
      // moving, then compare %sum: it is the same in all
      // processes.
      %sum = "stablehlo.all_reduce"(%partial) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %added = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %added : tensor<f32>
      }) : (tensor<8x12xf32>) -> tensor<8x12xf32>
      sdy.return %sum : tensor<8x12xf32>
    } : (tensor<12x32xf32>, tensor<32xf32>, tensor<32x12xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>
    return %result : tensor<8x12xf32>
  }
  func.func private @relu(%given: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %relu = stablehlo.maximum %given, %zeros : tensor<8x8xf32>
    return %relu : tensor<8x8xf32>
  }
}
