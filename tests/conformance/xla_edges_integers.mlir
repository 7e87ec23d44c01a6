// title: XLA: edges_integers
// description: Integers at their edges: divisors of zero, the least number, shifts beyond the width, powers with negative exponents.
func.func @main() -> (tensor<7xi32>, tensor<7xi32>, tensor<10xi32>, tensor<1xui32>, tensor<1xui32>, tensor<4xi32>) {
  %a = stablehlo.constant dense<[7, -7, 7, -7, 5, 0, -2147483648]> : tensor<7xi32>
  %b = stablehlo.constant dense<[2, 2, -2, -2, 0, 0, -1]> : tensor<7xi32>
  %base = stablehlo.constant dense<[2, 2, -2, 0, 1, -1, -1, 3, 0, 2]> : tensor<10xi32>
  %exponent = stablehlo.constant dense<[3, -1, 3, 0, -5, -3, -2, -2, -1, 40]> : tensor<10xi32>
  %u = stablehlo.constant dense<5> : tensor<1xui32>
  %uz = stablehlo.constant dense<0> : tensor<1xui32>
  %ones = stablehlo.constant dense<1> : tensor<4xi32>
  %amount = stablehlo.constant dense<[31, 32, 33, -1]> : tensor<4xi32>
  %quotient = stablehlo.divide %a, %b : tensor<7xi32>
  %rest = stablehlo.remainder %a, %b : tensor<7xi32>
  %power = stablehlo.power %base, %exponent : tensor<10xi32>
  %uq = stablehlo.divide %u, %uz : tensor<1xui32>
  %ur = stablehlo.remainder %u, %uz : tensor<1xui32>
  %shifted = stablehlo.shift_left %ones, %amount : tensor<4xi32>
  check.expect_eq_const %quotient, dense<[3, -3, -3, 3, -1, -1, -2147483648]> : tensor<7xi32>
  check.expect_eq_const %rest, dense<[1, -1, 1, -1, 5, 0, 0]> : tensor<7xi32>
  check.expect_eq_const %power, dense<[8, 0, -8, 1, 1, -1, 1, 0, 0, 0]> : tensor<10xi32>
  check.expect_eq_const %uq, dense<4294967295> : tensor<1xui32>
  check.expect_eq_const %ur, dense<5> : tensor<1xui32>
  check.expect_eq_const %shifted, dense<[-2147483648, 0, 0, 0]> : tensor<4xi32>
  return %quotient, %rest, %power, %uq, %ur, %shifted : tensor<7xi32>, tensor<7xi32>, tensor<10xi32>, tensor<1xui32>, tensor<1xui32>, tensor<4xi32>
}
