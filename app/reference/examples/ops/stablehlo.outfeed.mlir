// title: stablehlo.outfeed
// description: Writes values to the outfeed queue, which the host reads.
func.func @main() -> !stablehlo.token {
  %input0 = stablehlo.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi64>
  %token = stablehlo.create_token : !stablehlo.token
  %result = "stablehlo.outfeed"(%input0, %token) <{outfeed_config = ""}> : (tensor<2x2x2xi64>, !stablehlo.token) -> !stablehlo.token
  return %result : !stablehlo.token
}
