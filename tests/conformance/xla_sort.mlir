// title: XLA: sort
// description: Sort of three operands by the first.
func.func @main() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xf32>) {
  %keys = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
  %values = stablehlo.constant dense<[42, 50]> : tensor<2xi32>
  %more = stablehlo.constant dense<[-3.0, 1.1]> : tensor<2xf32>
  %k, %v, %m = "stablehlo.sort"(%keys, %values, %more) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>, %e: tensor<f32>, %f: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<2xi32>, tensor<2xi32>, tensor<2xf32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xf32>)
  check.expect_eq_const %k, dense<[1, 3]> : tensor<2xi32>
  check.expect_eq_const %v, dense<[50, 42]> : tensor<2xi32>
  check.expect_eq_const %m, dense<[1.1, -3.0]> : tensor<2xf32>
  return %k, %v, %m : tensor<2xi32>, tensor<2xi32>, tensor<2xf32>
}
