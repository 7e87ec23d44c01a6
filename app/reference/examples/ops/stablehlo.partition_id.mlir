// title: stablehlo.partition_id
// description: The partition id of this process: 0 in one of two partitions, 1 in the other.
func.func private @process() -> tensor<ui32> {
  %result = stablehlo.partition_id : tensor<ui32>
  return %result : tensor<ui32>
}

func.func @main() -> (tensor<ui32>, tensor<ui32>) {
  %results:2 = "interpreter.run_parallel"() {programs = [[@process, @process]]} : () -> (tensor<ui32>, tensor<ui32>)
  check.expect_eq_const %results#0, dense<0> : tensor<ui32>
  check.expect_eq_const %results#1, dense<1> : tensor<ui32>
  return %results#0, %results#1 : tensor<ui32>, tensor<ui32>
}
