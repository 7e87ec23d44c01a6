// title: check.expect_serialized_eq
// description: The second value that passed the probe must have been 4.
func.func @main() -> tensor<i32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %first = interpreter.probe %two, probe_id = "powers" : tensor<i32>
  %square = stablehlo.multiply %first, %first : tensor<i32>
  %second = interpreter.probe %square, probe_id = "powers" : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  check.expect_serialized_eq %four, probe_id = "powers", iteration = 1 : tensor<i32>
  return %second : tensor<i32>
}
