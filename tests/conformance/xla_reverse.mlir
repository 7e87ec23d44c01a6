// title: XLA: reverse
// description: Rev: what stands at i goes to N - 1 - i.
func.func @main() -> tensor<5xi32> {
  %a = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %result = stablehlo.reverse %a, dims = [0] : tensor<5xi32>
  check.expect_eq_const %result, dense<[4, 3, 2, 1, 0]> : tensor<5xi32>
  return %result : tensor<5xi32>
}
