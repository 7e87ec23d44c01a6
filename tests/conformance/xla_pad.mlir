// title: XLA: pad
// description: Pad: between the elements first, then at the edges, where a negative amount cuts off.
func.func @main() -> (tensor<8xi32>, tensor<5xi32>) {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %wide = stablehlo.pad %a, %zero, low = [1], high = [2], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<8xi32>
  %cut = stablehlo.pad %a, %zero, low = [-1], high = [1], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  check.expect_eq_const %wide, dense<[0, 1, 0, 2, 0, 3, 0, 0]> : tensor<8xi32>
  check.expect_eq_const %cut, dense<[0, 2, 0, 3, 0]> : tensor<5xi32>
  return %wide, %cut : tensor<8xi32>, tensor<5xi32>
}
