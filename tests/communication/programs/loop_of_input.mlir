module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %none = stablehlo.constant dense<0> : tensor<i32>
    %next = stablehlo.constant dense<1> : tensor<i32>
    %small = stablehlo.constant dense<1.0> : tensor<f32>
    %large = stablehlo.constant dense<9.0> : tensor<f32>
    %y, %e, %n = stablehlo.while(%v = %x, %error = %large, %k = %none) : tensor<4xf32>, tensor<f32>, tensor<i32> // FAULT
    cond {
      %go = stablehlo.compare GT, %error, %small : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %sum = "stablehlo.all_reduce"(%v) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %head = stablehlo.slice %x [0:1] : (tensor<4xf32>) -> tensor<1xf32>
      %own = stablehlo.reshape %head : (tensor<1xf32>) -> tensor<f32>
      %left = stablehlo.multiply %own, %error : tensor<f32> // faulty
      %left = "stablehlo.all_reduce"(%own) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({ // sound
      ^bb0(%a: tensor<f32>, %b: tensor<f32>): // sound
        %s = stablehlo.add %a, %b : tensor<f32> // sound
        stablehlo.return %s : tensor<f32> // sound
      }) : (tensor<f32>) -> tensor<f32> // sound
      %m = stablehlo.add %k, %next : tensor<i32>
      stablehlo.return %sum, %left, %m : tensor<4xf32>, tensor<f32>, tensor<i32>
    }
    return %y : tensor<4xf32>
  }
}
// warning: its body executes stablehlo.all_reduce at line
