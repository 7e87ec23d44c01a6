// title: stablehlo.after_all
// description: A token that orders later ops after both others.
func.func @main() -> !stablehlo.token {
  %input0 = stablehlo.create_token : !stablehlo.token
  %input1 = stablehlo.create_token : !stablehlo.token
  %result = stablehlo.after_all %input0, %input1 : !stablehlo.token
  return %result : !stablehlo.token
}
