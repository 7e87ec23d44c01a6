// title: stablehlo.infeed
// description: Takes values that the host feeds in; where nothing is fed the run stops here and says so.
// stops: infeed
func.func @main() -> (tensor<2x2xi64>, tensor<2x2xi64>) {
  %token = stablehlo.create_token : !stablehlo.token
  %results0:2 = "stablehlo.infeed"(%token) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)
  %results1:2 = "stablehlo.infeed"(%results0#1) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)
  return %results0#0, %results1#0 : tensor<2x2xi64>, tensor<2x2xi64>
}
