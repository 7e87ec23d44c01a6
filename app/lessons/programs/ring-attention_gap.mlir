// A ring with a gap: process 3 sends nothing.
module @ring attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["ring"=4]>
  func.func public @main(%queries: tensor<4x2xf32>, %keys: tensor<4x2xf32>, %values: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %result = sdy.manual_computation(%queries, %keys, %values)
        in_shardings=[
          <@mesh, [{"ring"}, {}]>,
          <@mesh, [{"ring"}, {}]>,
          <@mesh, [{"ring"}, {}]>]
        out_shardings=[<@mesh, [{"ring"}, {}]>] manual_axes={"ring"}
        (%q: tensor<1x2xf32>, %k: tensor<1x2xf32>, %v: tensor<1x2xf32>) {
      %none = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %rounds = stablehlo.constant dense<4> : tensor<i32>
      %lowest = stablehlo.constant dense<0xFF800000> : tensor<1x1xf32>
      %no_total = stablehlo.constant dense<0.0> : tensor<1x1xf32>
      %no_mixed = stablehlo.constant dense<0.0> : tensor<1x2xf32>
      %count, %k_end, %v_end, %m_end, %total, %mixed = stablehlo.while(
          %round = %none,
          %k_here = %k,
          %v_here = %v,
          %largest = %lowest,
          %total_so_far = %no_total,
          %mixed_so_far = %no_mixed
        ) : tensor<i32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x2xf32>
        cond {
          %go_on = stablehlo.compare LT, %round, %rounds, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %go_on : tensor<i1>
        } do {
          %score = stablehlo.dot_general %q, %k_here, contracting_dims = [1] x [1] : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x1xf32>
          %larger = stablehlo.maximum %largest, %score : tensor<1x1xf32>
          %below = stablehlo.subtract %score, %larger : tensor<1x1xf32>
          %weight = stablehlo.exponential %below : tensor<1x1xf32>

          // The previous sums, corrected for the new
          // largest score.
          %drop = stablehlo.subtract %largest, %larger : tensor<1x1xf32>
          %shrink = stablehlo.exponential %drop : tensor<1x1xf32>
          %total_before = stablehlo.multiply %total_so_far, %shrink : tensor<1x1xf32>
          %new_total = stablehlo.add %total_before, %weight : tensor<1x1xf32>
          %shrink_row = stablehlo.broadcast_in_dim %shrink, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x2xf32>
          %mixed_before = stablehlo.multiply %mixed_so_far, %shrink_row : tensor<1x2xf32>
          %weighted = stablehlo.dot_general %weight, %v_here, contracting_dims = [1] x [0] : (tensor<1x1xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
          %new_mixed = stablehlo.add %mixed_before, %weighted : tensor<1x2xf32>

          // On to the next process.
          %k_came = "stablehlo.collective_permute"(%k_here) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<1x2xf32>) -> tensor<1x2xf32>
          %v_came = "stablehlo.collective_permute"(%v_here) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<1x2xf32>) -> tensor<1x2xf32>
          %next = stablehlo.add %round, %one : tensor<i32>
          stablehlo.return %next, %k_came, %v_came, %larger, %new_total, %new_mixed : tensor<i32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x2xf32>
        }
      %totals = stablehlo.broadcast_in_dim %total, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x2xf32>
      %attention = stablehlo.divide %mixed, %totals : tensor<1x2xf32>
      sdy.return %attention : tensor<1x2xf32>
    } : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    return %result : tensor<4x2xf32>
  }
}
