// title: strategies of send and recv
// description: Who sends to whom, by both ways of reading the pairs; who is no target gets zeros.

// cross_replica: in each partition replica 1 sends to replica 0.
func.func private @replicas(%operand: tensor<1xi64>) -> tensor<1xi64> {
  %token = stablehlo.create_token : !stablehlo.token
  %sent = "stablehlo.send"(%operand, %token) <{
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>
  }> : (tensor<1xi64>, !stablehlo.token) -> !stablehlo.token
  %result, %done = "stablehlo.recv"(%sent) <{
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>
  }> : (!stablehlo.token) -> (tensor<1xi64>, !stablehlo.token)
  return %result : tensor<1xi64>
}

// cross_partition: in each replica partition 1 sends to partition 0.
func.func private @partitions(%operand: tensor<1xi64>) -> tensor<1xi64> {
  %token = stablehlo.create_token : !stablehlo.token
  %sent = "stablehlo.send"(%operand, %token) <{
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>
  }> : (tensor<1xi64>, !stablehlo.token) -> !stablehlo.token
  %result, %done = "stablehlo.recv"(%sent) <{
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>
  }> : (!stablehlo.token) -> (tensor<1xi64>, !stablehlo.token)
  return %result : tensor<1xi64>
}

// Processes (0, 0), (0, 1), (1, 0) and (1, 1), of two replicas by two partitions.
func.func @main() {
  %in0 = stablehlo.constant dense<[1]> : tensor<1xi64>
  %in1 = stablehlo.constant dense<[10]> : tensor<1xi64>
  %in2 = stablehlo.constant dense<[100]> : tensor<1xi64>
  %in3 = stablehlo.constant dense<[1000]> : tensor<1xi64>
  %replicas:4 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3) {programs = [[@replicas, @replicas], [@replicas, @replicas]]}
    : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  check.expect_eq_const %replicas#0, dense<[100]> : tensor<1xi64>
  check.expect_eq_const %replicas#1, dense<[1000]> : tensor<1xi64>
  check.expect_eq_const %replicas#2, dense<[0]> : tensor<1xi64>
  check.expect_eq_const %replicas#3, dense<[0]> : tensor<1xi64>
  %partitions:4 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3) {programs = [[@partitions, @partitions], [@partitions, @partitions]]}
    : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  check.expect_eq_const %partitions#0, dense<[10]> : tensor<1xi64>
  check.expect_eq_const %partitions#1, dense<[0]> : tensor<1xi64>
  check.expect_eq_const %partitions#2, dense<[1000]> : tensor<1xi64>
  check.expect_eq_const %partitions#3, dense<[0]> : tensor<1xi64>
  return
}
