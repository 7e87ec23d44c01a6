// title: stablehlo.rng
// description: Random integers from 0 up to, but not including, 2: only 0 and 1.
func.func @main() -> tensor<3x3xi32> {
  %a = stablehlo.constant dense<0> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %shape = stablehlo.constant dense<[3, 3]> : tensor<2xi64>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %result = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<3x3xi32>
  %inside = stablehlo.clamp %a, %result, %one : (tensor<i32>, tensor<3x3xi32>, tensor<i32>) -> tensor<3x3xi32>
  check.expect_eq %inside, %result : tensor<3x3xi32>
  return %result : tensor<3x3xi32>
}
