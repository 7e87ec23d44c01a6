// title: stablehlo.replica_id
// description: Which replica this process is; the only one is 0.
func.func @main() -> tensor<ui32> {
  %result = stablehlo.replica_id : tensor<ui32>
  check.expect_eq_const %result, dense<0> : tensor<ui32>
  return %result : tensor<ui32>
}
