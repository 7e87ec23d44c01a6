// title: stablehlo.custom_call
// description: A call of code outside the program: a marker of the partitioner, which a single process forwards.
func.func @main() -> tensor<2xf64> {
  %input0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %results = stablehlo.custom_call @Sharding(%input0) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_eq_const %results, dense<[1.0, 2.0]> : tensor<2xf64>
  return %results : tensor<2xf64>
}
