// title: strategies of collective_reduce
// description: Who adds up for whom, by all ways of reading the groups: only the first of a group gets the sum.

// cross_replica: in each partition its replicas, 1 before 0.
func.func private @replicas(%operand: tensor<1xi64>) -> tensor<1xi64> {
  %result = "stablehlo.collective_reduce"(%operand) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %sum = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %sum : tensor<i64>
  }) : (tensor<1xi64>) -> tensor<1xi64>
  return %result : tensor<1xi64>
}

// cross_replica_and_partition: partition by partition, the replicas of each, 1 before 0.
func.func private @both(%operand: tensor<1xi64>) -> tensor<1xi64> {
  %result = "stablehlo.collective_reduce"(%operand) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %sum = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %sum : tensor<i64>
  }) : (tensor<1xi64>) -> tensor<1xi64>
  return %result : tensor<1xi64>
}

// flattened_ids: the id of process (r, p) is 2 * r + p.
func.func private @flattened(%operand: tensor<1xi64>) -> tensor<1xi64> {
  %result = "stablehlo.collective_reduce"(%operand) <{replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %sum = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %sum : tensor<i64>
  }) : (tensor<1xi64>) -> tensor<1xi64>
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
  check.expect_eq_const %replicas#0, dense<[0]> : tensor<1xi64>
  check.expect_eq_const %replicas#1, dense<[0]> : tensor<1xi64>
  check.expect_eq_const %replicas#2, dense<[101]> : tensor<1xi64>
  check.expect_eq_const %replicas#3, dense<[1010]> : tensor<1xi64>
  %both:4 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3) {programs = [[@both, @both], [@both, @both]]}
    : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  check.expect_eq_const %both#0, dense<[0]> : tensor<1xi64>
  check.expect_eq_const %both#1, dense<[0]> : tensor<1xi64>
  check.expect_eq_const %both#2, dense<[1111]> : tensor<1xi64>
  check.expect_eq_const %both#3, dense<[0]> : tensor<1xi64>
  %flattened:4 = "interpreter.run_parallel"(%in0, %in1, %in2, %in3) {programs = [[@flattened, @flattened], [@flattened, @flattened]]}
    : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  check.expect_eq_const %flattened#0, dense<[0]> : tensor<1xi64>
  check.expect_eq_const %flattened#1, dense<[110]> : tensor<1xi64>
  check.expect_eq_const %flattened#2, dense<[0]> : tensor<1xi64>
  check.expect_eq_const %flattened#3, dense<[1001]> : tensor<1xi64>
  return
}
