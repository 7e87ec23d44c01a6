// title: Ring attention
// description: Keys and values travel around a ring of four processes, and each row's softmax is updated as they arrive.
// inputs: normal; normal; normal
// Attention over 16 tokens, four in each of four
// processes: no process ever holds all of the keys.
// Exported from JAX (shard_map, ppermute in a loop);
// names and comments were added.
module @jit_ring_attention attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["ring"=4]> {stablehlo.mesh = {axes = [{name = "ring", size = 4 : i64}]}}
  func.func public @main(%queries: tensor<16x8xf32>, %keys: tensor<16x8xf32>, %values: tensor<16x8xf32>) -> (tensor<16x8xf32> {jax.result_info = "result"}) {
    // Step into (F11): each process gets four rows of
    // the queries, keys and values. Every query needs a
    // score with every key: the queries stay in their
    // process, and the keys and values move one process
    // further around the ring in each round.
    %result = sdy.manual_computation(%queries, %keys, %values) in_shardings=[<@mesh, [{"ring"}, {}]>, <@mesh, [{"ring"}, {}]>, <@mesh, [{"ring"}, {}]>] out_shardings=[<@mesh, [{"ring"}, {}]>] manual_axes={"ring"} (%q: tensor<4x8xf32>, %k: tensor<4x8xf32>, %v: tensor<4x8xf32>) {
      // The softmax of a row needs the sum over all of
      // its scores, but a process has only four of them
      // at a time. The loop therefore carries three
      // values per row and corrects them in each round:
      // the largest score so far, the sum of the
      // exponentials so far, and the sum of the values
      // so far, weighted with the exponentials.
      %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %no_largest = stablehlo.broadcast_in_dim %lowest, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %no_total = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %also_zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %no_mixed = stablehlo.broadcast_in_dim %also_zero, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
      %start = stablehlo.constant dense<0> : tensor<i32>
      // After four rounds every query has a score with
      // every key. Step through the rounds of one
      // process and watch %k_here: process 0 has keys 0
      // to 3, then 12 to 15, which it received from
      // process 3, then 8 to 11 …
      %end:7 = stablehlo.while(%q_same = %q, %round = %start, %k_here = %k, %v_here = %v, %largest = %no_largest, %total = %no_total, %mixed = %no_mixed) : tensor<4x8xf32>, tensor<i32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>
      cond {
        %rounds = stablehlo.constant dense<4> : tensor<i32>
        %go_on = stablehlo.compare LT, %round, %rounds, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %go_on : tensor<i1>
      } do {
        %new:5 = func.call @closed_call(%q_same, %k_here, %v_here, %largest, %total, %mixed) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next_round = stablehlo.add %round, %one : tensor<i32>
        stablehlo.return %q_same, %next_round, %new#0, %new#1, %new#2, %new#3, %new#4 : tensor<4x8xf32>, tensor<i32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>
      }
      // The division comes last: it makes the weights of
      // each row add up to one.
      %total_column = stablehlo.broadcast_in_dim %end#5, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
      %total_rows = stablehlo.broadcast_in_dim %total_column, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
      %attention = stablehlo.divide %end#6, %total_rows : tensor<4x8xf32>
      sdy.return %attention : tensor<4x8xf32>
    } : (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    return %result : tensor<16x8xf32>
  }
  func.func private @closed_call(%own_q: tensor<4x8xf32>, %key: tensor<4x8xf32>, %value: tensor<4x8xf32>, %old_largest: tensor<4xf32>, %old_total: tensor<4xf32>, %old_mixed: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) {
    %key_turned = stablehlo.transpose %key, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %products = stablehlo.dot_general %own_q, %key_turned, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %root_of_width = stablehlo.constant dense<2.82842708> : tensor<f32>
    %root_everywhere = stablehlo.broadcast_in_dim %root_of_width, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    // The scores of this process's four queries with the
    // four keys that it has in this round.
    %scores = stablehlo.divide %products, %root_everywhere : tensor<4x4xf32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %largest_here = stablehlo.reduce(%scores init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    // The exponentials are relative to the largest score
    // so far. When a larger one arrives, multiplying by
    // %shrink corrects the earlier sums. In the first
    // round %shrink is 0, because the sums are empty.
    %larger = stablehlo.maximum %old_largest, %largest_here : tensor<4xf32>
    %larger_column = stablehlo.broadcast_in_dim %larger, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %larger_rows = stablehlo.broadcast_in_dim %larger_column, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
    %below = stablehlo.subtract %scores, %larger_rows : tensor<4x4xf32>
    %weights = stablehlo.exponential %below : tensor<4x4xf32>
    %drop = stablehlo.subtract %old_largest, %larger : tensor<4xf32>
    %shrink = stablehlo.exponential %drop : tensor<4xf32>
    %total_before = stablehlo.multiply %old_total, %shrink : tensor<4xf32>
    %nothing = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %weights_sum = stablehlo.reduce(%weights init: %nothing) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    // Add this round's weighted values to the corrected
    // sum of the earlier rounds.
    %new_total = stablehlo.add %total_before, %weights_sum : tensor<4xf32>
    %shrink_column = stablehlo.broadcast_in_dim %shrink, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %shrink_rows = stablehlo.broadcast_in_dim %shrink_column, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
    %mixed_before = stablehlo.multiply %old_mixed, %shrink_rows : tensor<4x8xf32>
    %more_mixed = stablehlo.dot_general %weights, %value, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %new_mixed = stablehlo.add %mixed_before, %more_mixed : tensor<4x8xf32>
    // Send the keys to the next process, then the
    // values. Play it under Data moving: four blocks
    // move at the same time. After the last round every
    // block is back in its first process.
    %key_from_before = "stablehlo.collective_permute"(%key) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %value_from_before = "stablehlo.collective_permute"(%value) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %key_from_before, %value_from_before, %larger, %new_total, %new_mixed : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>
  }
}
