// title: XLA: edges_floats
// description: Floating point at its edges: fmod, powers, maxima with NaN, crossed limits of clamp, halves.
func.func @main() -> (tensor<7xf32>, tensor<8xf32>, tensor<2xf32>, tensor<1xf32>, tensor<6xf32>, tensor<6xf32>) {
  %a = stablehlo.constant dense<[5.5, -5.5, 5.5, 1.0, 0x7F800000, 3.0, -0.0]> : tensor<7xf32>
  %b = stablehlo.constant dense<[2.0, 2.0, -2.0, 0.0, 2.0, 0x7F800000, 3.0]> : tensor<7xf32>
  %base = stablehlo.constant dense<[0.0, 0.0, -8.0, 0x7FC00000, 1.0, 2.0, 0x7F800000, -0.0]> : tensor<8xf32>
  %exponent = stablehlo.constant dense<[0.0, -1.0, 0.3333333, 0.0, 0x7FC00000, -2.0, 0.0, -1.0]> : tensor<8xf32>
  %p = stablehlo.constant dense<[0x7FC00000, -0.0]> : tensor<2xf32>
  %q = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %low = stablehlo.constant dense<5.0> : tensor<f32>
  %high = stablehlo.constant dense<2.0> : tensor<f32>
  %three = stablehlo.constant dense<3.0> : tensor<1xf32>
  %halves = stablehlo.constant dense<[-2.5, -1.5, -0.5, 0.49999997, 0.5, 2.5]> : tensor<6xf32>
  %rest = stablehlo.remainder %a, %b : tensor<7xf32>
  %power = stablehlo.power %base, %exponent : tensor<8xf32>
  %largest = stablehlo.maximum %p, %q : tensor<2xf32>
  %crossed = stablehlo.clamp %low, %three, %high : (tensor<f32>, tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
  %away = stablehlo.round_nearest_afz %halves : tensor<6xf32>
  %even = stablehlo.round_nearest_even %halves : tensor<6xf32>
  check.expect_almost_eq_const %rest, dense<[1.5, -1.5, 1.5, 0x7FC00000, 0x7FC00000, 3.0, -0.0]> : tensor<7xf32>
  check.expect_almost_eq_const %power, dense<[1.0, 0x7F800000, 0x7FC00000, 1.0, 1.0, 0.25, 1.0, 0xFF800000]> : tensor<8xf32>
  check.expect_almost_eq_const %largest, dense<[0x7FC00000, 0.0]> : tensor<2xf32>
  check.expect_eq_const %crossed, dense<2.0> : tensor<1xf32>
  check.expect_eq_const %away, dense<[-3.0, -2.0, -1.0, 0.0, 1.0, 3.0]> : tensor<6xf32>
  check.expect_eq_const %even, dense<[-2.0, -2.0, -0.0, 0.0, 0.0, 2.0]> : tensor<6xf32>
  return %rest, %power, %largest, %crossed, %away, %even : tensor<7xf32>, tensor<8xf32>, tensor<2xf32>, tensor<1xf32>, tensor<6xf32>, tensor<6xf32>
}
