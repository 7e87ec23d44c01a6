// Each process has work for its own number of rounds;
// in each round the four add up what they did.
module @work attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%rounds: tensor<i32>) -> tensor<i32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %count, %done = stablehlo.while(
        %i = %zero,
        %so_far = %zero
      ) : tensor<i32>, tensor<i32>
      cond {
        %go_on = stablehlo.compare LT, %i, %rounds, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %go_on : tensor<i1>
      } do {
        %sum = "stablehlo.all_reduce"(%one) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %c : tensor<i32>
        }) : (tensor<i32>) -> tensor<i32>
        %more = stablehlo.add %so_far, %sum : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next, %more : tensor<i32>, tensor<i32>
      }
    return %done : tensor<i32>
  }
}
