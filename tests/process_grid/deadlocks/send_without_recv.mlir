// title: A message that nobody takes
func.func private @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.after_all : !stablehlo.token
  %s = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<4xf32>
}

func.func private @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %results:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@first, @second]]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %results#0, %results#1 : tensor<4xf32>, tensor<4xf32>
}

// deadlock: unreceived: (0, 0) sends on channel 1, but (0, 1) has ended
//   (0, 0) waits to send in stablehlo.send at line 4 on channel 1, for (0, 1), which has ended
// hint: let a process receive on the channel, or leave the transfer out
