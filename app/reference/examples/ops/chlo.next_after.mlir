// title: chlo.next_after
// description: The next f32 number in the direction of rhs.
func.func @main() -> tensor<3xf32> {
  %lhs = stablehlo.constant dense<[1.0, 1.0, 0.0]> : tensor<3xf32>
  %rhs = stablehlo.constant dense<[2.0, 0.0, 1.0]> : tensor<3xf32>
  %result = chlo.next_after %lhs, %rhs : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  check.expect_eq_const %result, dense<[0x3F800001, 0x3F7FFFFF, 0x00000001]> : tensor<3xf32>
  return %result : tensor<3xf32>
}
