// title: strategies of all_to_all
// description: Who exchanges with whom, by both ways of reading the groups.

// cross_replica: in each partition its replicas, 1 before 0.
func.func private @replicas(%operand: tensor<4xi64>) -> tensor<4xi64> {
  %result = "stablehlo.all_to_all"(%operand) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<4xi64>) -> tensor<4xi64>
  return %result : tensor<4xi64>
}

// cross_partition: in each replica its partitions, 1 before 0.
func.func private @partitions(%operand: tensor<4xi64>) -> tensor<4xi64> {
  %result = "stablehlo.all_to_all"(%operand) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xi64>) -> tensor<4xi64>
  return %result : tensor<4xi64>
}

// Processes (0, 0), (0, 1), (1, 0) and (1, 1), of two replicas by two partitions.
func.func @main() {
  %in0 = stablehlo.constant dense<[10, 11, 12, 13]> : tensor<4xi64>
  %in1 = stablehlo.constant dense<[20, 21, 22, 23]> : tensor<4xi64>
  %in2 = stablehlo.constant dense<[30, 31, 32, 33]> : tensor<4xi64>
  %in3 = stablehlo.constant dense<[40, 41, 42, 43]> : tensor<4xi64>
  %replicas:4 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3) {programs = [[@replicas, @replicas], [@replicas, @replicas]]}
    : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
  check.expect_eq_const %replicas#0, dense<[32, 33, 12, 13]> : tensor<4xi64>
  check.expect_eq_const %replicas#1, dense<[42, 43, 22, 23]> : tensor<4xi64>
  check.expect_eq_const %replicas#2, dense<[30, 31, 10, 11]> : tensor<4xi64>
  check.expect_eq_const %replicas#3, dense<[40, 41, 20, 21]> : tensor<4xi64>
  %partitions:4 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3) {programs = [[@partitions, @partitions], [@partitions, @partitions]]}
    : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
  check.expect_eq_const %partitions#0, dense<[22, 23, 12, 13]> : tensor<4xi64>
  check.expect_eq_const %partitions#1, dense<[20, 21, 10, 11]> : tensor<4xi64>
  check.expect_eq_const %partitions#2, dense<[42, 43, 32, 33]> : tensor<4xi64>
  check.expect_eq_const %partitions#3, dense<[40, 41, 30, 31]> : tensor<4xi64>
  return
}
