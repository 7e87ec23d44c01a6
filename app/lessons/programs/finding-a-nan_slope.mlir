// The slope of where(x > 0, sqrt(x), 0), as automatic
// differentiation writes it.
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %zeros = stablehlo.constant dense<0.0> : tensor<3xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<3xf32>
  %halves = stablehlo.constant dense<0.5> : tensor<3xf32>
  %above = stablehlo.compare GT, %x, %zeros, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %root = stablehlo.sqrt %x : tensor<3xf32>
  %value = stablehlo.select %above, %root, %zeros : tensor<3xi1>, tensor<3xf32>

  // Backwards: what comes through select, times the
  // slope of sqrt.
  %gate = stablehlo.select %above, %ones, %zeros : tensor<3xi1>, tensor<3xf32>
  %root_slope = stablehlo.divide %halves, %root : tensor<3xf32>
  %slope = stablehlo.multiply %gate, %root_slope : tensor<3xf32>
  return %value, %slope : tensor<3xf32>, tensor<3xf32>
}
