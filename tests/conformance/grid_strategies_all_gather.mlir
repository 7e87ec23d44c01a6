// title: strategies of all_gather
// description: Who gathers from whom, by all ways of reading the groups.

// cross_replica: in each partition its replicas, 1 before 0.
func.func private @replicas(%operand: tensor<1xi64>) -> tensor<2xi64> {
  %result = "stablehlo.all_gather"(%operand) <{all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<1xi64>) -> tensor<2xi64>
  return %result : tensor<2xi64>
}

// cross_replica_and_partition: partition by partition, the replicas of each, 1 before 0.
func.func private @both(%operand: tensor<1xi64>) -> tensor<4xi64> {
  %result = "stablehlo.all_gather"(%operand) <{all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<1xi64>) -> tensor<4xi64>
  return %result : tensor<4xi64>
}

// flattened_ids: the id of process (r, p) is 2 * r + p.
func.func private @flattened(%operand: tensor<1xi64>) -> tensor<2xi64> {
  %result = "stablehlo.all_gather"(%operand) <{all_gather_dim = 0 : i64, replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<1xi64>) -> tensor<2xi64>
  return %result : tensor<2xi64>
}

// Processes (0, 0), (0, 1), (1, 0) and (1, 1), of two replicas by two partitions.
func.func @main() {
  %in0 = stablehlo.constant dense<[1]> : tensor<1xi64>
  %in1 = stablehlo.constant dense<[10]> : tensor<1xi64>
  %in2 = stablehlo.constant dense<[100]> : tensor<1xi64>
  %in3 = stablehlo.constant dense<[1000]> : tensor<1xi64>
  %replicas:4 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3) {programs = [[@replicas, @replicas], [@replicas, @replicas]]}
    : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
  check.expect_eq_const %replicas#0, dense<[100, 1]> : tensor<2xi64>
  check.expect_eq_const %replicas#1, dense<[1000, 10]> : tensor<2xi64>
  check.expect_eq_const %replicas#2, dense<[100, 1]> : tensor<2xi64>
  check.expect_eq_const %replicas#3, dense<[1000, 10]> : tensor<2xi64>
  %both:4 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3) {programs = [[@both, @both], [@both, @both]]}
    : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
  check.expect_eq_const %both#0, dense<[100, 1, 1000, 10]> : tensor<4xi64>
  check.expect_eq_const %both#1, dense<[100, 1, 1000, 10]> : tensor<4xi64>
  check.expect_eq_const %both#2, dense<[100, 1, 1000, 10]> : tensor<4xi64>
  check.expect_eq_const %both#3, dense<[100, 1, 1000, 10]> : tensor<4xi64>
  %flattened:4 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3) {programs = [[@flattened, @flattened], [@flattened, @flattened]]}
    : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
  check.expect_eq_const %flattened#0, dense<[1000, 1]> : tensor<2xi64>
  check.expect_eq_const %flattened#1, dense<[10, 100]> : tensor<2xi64>
  check.expect_eq_const %flattened#2, dense<[10, 100]> : tensor<2xi64>
  check.expect_eq_const %flattened#3, dense<[1000, 1]> : tensor<2xi64>
  return
}
