// title: Sums of exponentials, added up over processes asynchronously
// fault: exp is infinite in one process, and all get it once the sum has come
// inputs faulty: each [1, 2] | [90, 1]
// inputs sound: each [1, 2] | [80, 1]
module @async attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 1 : i32} {
  func.func @main(%scores: tensor<2xf32>) -> tensor<2xf32> {
    %powers = stablehlo.exponential %scores : tensor<2xf32> // FAULT
    %started = "stablehlo.async_start"(%powers) ({
    ^bb0(%own: tensor<2xf32>):
      %sums = "stablehlo.all_reduce"(%own) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %sum = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %sum : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %sums : tensor<2xf32>
    }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
    %zeros = stablehlo.constant dense<0.0> : tensor<2xf32>
    %relu = stablehlo.maximum %scores, %zeros : tensor<2xf32>
    %total = "stablehlo.async_done"(%started) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
    %logs = stablehlo.log %total : tensor<2xf32>
    %result = stablehlo.add %logs, %relu : tensor<2xf32>
    return %result : tensor<2xf32>
  }
}
