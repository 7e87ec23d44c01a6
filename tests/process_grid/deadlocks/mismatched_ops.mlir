// title: One reduces, the other broadcasts
func.func private @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %results:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@first, @second]]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %results#0, %results#1 : tensor<4xf32>, tensor<4xf32>
}

// deadlock: mismatch: (0, 0) and (0, 1) meet on channel 1, but their ops do not match: all_reduce here, collective_broadcast there
//   here: (0, 0) in stablehlo.all_reduce at line 3
//   there: (0, 1) in stablehlo.collective_broadcast at line 12
// hint: let all processes of a group run the same op, in the same order
