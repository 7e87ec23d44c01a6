module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %head = stablehlo.slice %x [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %own = stablehlo.reshape %head : (tensor<1xf32>) -> tensor<f32>
    %all = stablehlo.add %own, %none : tensor<f32> // faulty
    %all = "stablehlo.all_reduce"(%own) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({ // sound
    ^bb0(%a: tensor<f32>, %b: tensor<f32>): // sound
      %s = stablehlo.add %a, %b : tensor<f32> // sound
      stablehlo.return %s : tensor<f32> // sound
    }) : (tensor<f32>) -> tensor<f32> // sound
    %go = stablehlo.compare GT, %all, %none : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %y = "stablehlo.if"(%go) ({ // FAULT
      %sum = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %sum : tensor<4xf32>
    }, {
      stablehlo.return %x : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
// warning: its branches execute different collectives (stablehlo.all_reduce at line
