// title: stablehlo.create_token
// description: A token to begin an order of effects with.
func.func @main() -> !stablehlo.token {
  %result = stablehlo.create_token : !stablehlo.token
  return %result : !stablehlo.token
}
