// title: Operands of different shapes
func.func private @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %v = "stablehlo.all_reduce"(%w) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<4xf32>
}

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %results:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@first], [@second]]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %results#0, %results#1 : tensor<4xf32>, tensor<4xf32>
}

// deadlock: mismatch: (0, 0) and (1, 0) meet on channel 1, but their ops do not match: operand is tensor<4xf32> here and tensor<2xf32> there
//   here: (0, 0) in stablehlo.all_reduce at line 3
//   there: (1, 0) in stablehlo.all_reduce at line 13
// hint: let all processes of a group run the same op, in the same order
