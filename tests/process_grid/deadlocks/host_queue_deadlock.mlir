// title: Two who receive from the host before they send to it
func.func private @both(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.after_all : !stablehlo.token
  %r:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %s = "stablehlo.send"(%x, %r#1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %r#0 : tensor<4xf32>
}

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %results:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@both, @both]]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %results#0, %results#1 : tensor<4xf32>, tensor<4xf32>
}

// deadlock: deadlock: deadlock: (0, 0) and (0, 1) wait for each other
//   (0, 0) waits to receive in stablehlo.recv at line 4 on channel 5, for (0, 1), which waits in stablehlo.recv at line 4
//   (0, 1) waits to receive in stablehlo.recv at line 4 on channel 5, for (0, 0), which waits in stablehlo.recv at line 4
// hint: let all processes execute their collectives in the same order
