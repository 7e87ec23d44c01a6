// Two processes run two collectives. Each decides
// for itself which of the two sums comes first.
module @order attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%first: tensor<i32>, %gradient: tensor<i32>, %loss: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %results:2 = "stablehlo.case"(%first) ({
      %gradients = "stablehlo.all_reduce"(%gradient) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %c = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %c : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      %losses = "stablehlo.all_reduce"(%loss) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %c = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %c : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      stablehlo.return %gradients, %losses : tensor<i32>, tensor<i32>
    }, {
      %losses = "stablehlo.all_reduce"(%loss) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %c = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %c : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      %gradients = "stablehlo.all_reduce"(%gradient) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %c = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %c : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      stablehlo.return %gradients, %losses : tensor<i32>, tensor<i32>
    }) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)
    return %results#0, %results#1 : tensor<i32>, tensor<i32>
  }
}
