// title: A queue of the host that nobody fills any more
func.func private @sender(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.after_all : !stablehlo.token
  %s = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<4xf32>
}

func.func private @receiver() -> tensor<4xf32> {
  %t = stablehlo.after_all : !stablehlo.token
  %a:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %b:2 = "stablehlo.recv"(%a#1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %c:2 = "stablehlo.recv"(%b#1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %c#0 : tensor<4xf32>
}

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %results:3 = "interpreter.run_parallel"(%x, %x) {programs = [[@sender, @sender, @receiver]]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %results#2 : tensor<4xf32>
}

// deadlock: unreceived: (0, 2) receives on channel 5, but (0, 0) and (0, 1) have ended
//   (0, 2) waits to receive in stablehlo.recv at line 12 on channel 5, for (0, 0), which has ended; (0, 1), which has ended
// hint: let a process send on the channel, or put an item into its queue before the run
