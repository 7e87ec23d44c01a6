// title: Three that wait for each other
func.func private @process(%x: tensor<4xf32>) -> tensor<4xf32> {
  %id = stablehlo.replica_id : tensor<ui32>
  %t = stablehlo.after_all : !stablehlo.token
  %r:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %s = "stablehlo.send"(%x, %r#1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %r#0 : tensor<4xf32>
}

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %results:3 = "interpreter.run_parallel"(%x, %x, %x) {programs = [[@process, @process, @process]]} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %results#0, %results#1, %results#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// deadlock: deadlock: deadlock: (0, 0) waits for (0, 2), which waits for (0, 1), which waits for (0, 0)
//   (0, 0) waits to receive in stablehlo.recv at line 5 on channel 1, for (0, 2), which waits in stablehlo.recv at line 5
//   (0, 1) waits to receive in stablehlo.recv at line 5 on channel 1, for (0, 0), which waits in stablehlo.recv at line 5
//   (0, 2) waits to receive in stablehlo.recv at line 5 on channel 1, for (0, 1), which waits in stablehlo.recv at line 5
// hint: let all processes execute their collectives in the same order
