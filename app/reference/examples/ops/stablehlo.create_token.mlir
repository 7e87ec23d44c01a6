// title: stablehlo.create_token
// description: A token that begins an order of effects.
func.func @main() -> !stablehlo.token {
  %result = stablehlo.create_token : !stablehlo.token
  return %result : !stablehlo.token
}
