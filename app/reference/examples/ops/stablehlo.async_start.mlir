// title: stablehlo.async_start
// description: Starts a slice and waits for it later.
func.func @main() -> tensor<2xi32> {
  %operand = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %started = "stablehlo.async_start"(%operand) ({
  ^bb0(%x: tensor<4xi32>):
    %part = stablehlo.slice %x [1:3] : (tensor<4xi32>) -> tensor<2xi32>
    stablehlo.return %part : tensor<2xi32>
  }) : (tensor<4xi32>) -> !stablehlo.future<tensor<2xi32>>
  %result = "stablehlo.async_done"(%started) : (!stablehlo.future<tensor<2xi32>>) -> tensor<2xi32>
  check.expect_eq_const %result, dense<[2, 3]> : tensor<2xi32>
  return %result : tensor<2xi32>
}
