// title: Processes that do not agree who meets
func.func private @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %results:4 = "interpreter.run_parallel"(%x, %x, %x, %x) {programs = [[@first], [@second], [@first], [@second]]} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %results#0, %results#1, %results#2, %results#3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// deadlock: groups: (0, 0) and (1, 0) wait for each other on channel 1 in different groups: {(0, 0) and (1, 0)} and {(0, 0), (1, 0), (2, 0) and (3, 0)}
//   (0, 0) waits in stablehlo.all_reduce at line 3 on channel 1, for (1, 0), which waits in stablehlo.all_reduce at line 12
//   (1, 0) waits in stablehlo.all_reduce at line 12 on channel 1, for (0, 0), which waits in stablehlo.all_reduce at line 3; (2, 0), which waits in stablehlo.all_reduce at line 3
//   (2, 0) waits in stablehlo.all_reduce at line 3 on channel 1, for (3, 0), which waits in stablehlo.all_reduce at line 12
//   (3, 0) waits in stablehlo.all_reduce at line 12 on channel 1, for (0, 0), which waits in stablehlo.all_reduce at line 3; (2, 0), which waits in stablehlo.all_reduce at line 3
// hint: give all processes of a group the same replica_groups
