// title: interpreter.probe
// description: Forwards a value and records it under a name.
func.func @main() -> tensor<3xi32> {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %same = interpreter.probe %x, probe_id = "x" : tensor<3xi32>
  %sum = stablehlo.add %same, %x : tensor<3xi32>
  check.expect_serialized_eq %x, probe_id = "x" : tensor<3xi32>
  check.expect_eq_const %sum, dense<[2, 4, 6]> : tensor<3xi32>
  return %sum : tensor<3xi32>
}
