// title: The likelihood of four readings, beside that of another model
// fault: the product of the first is below the least normal f32: the quotient has none of its digits
// inputs faulty: [2e-10, 3e-10, 1e-11, 4e-11]
// inputs sound: [2e-8, 3e-8, 1e-9, 4e-9]
func.func @main(%densities: tensor<4xf32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %other = stablehlo.constant dense<1.0e-32> : tensor<f32>
  %likelihood = stablehlo.reduce(%densities init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> // FAULT
  %ratio = stablehlo.divide %likelihood, %other : tensor<f32>
  return %ratio : tensor<f32>
}
