// title: Reduce with a body of its own
// description: The body is log(exp(a) + exp(b)), kept in range; step into reduce to see it run on whole rows at once.
// inputs: normal*4
func.func @main(%x: tensor<6x10xf32>) -> tensor<6xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %result = stablehlo.reduce(%x init: %lowest) across dimensions = [1] : (tensor<6x10xf32>, tensor<f32>) -> tensor<6xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %larger = stablehlo.maximum %a, %b : tensor<f32>
      %smaller = stablehlo.minimum %a, %b : tensor<f32>
      %difference = stablehlo.subtract %smaller, %larger : tensor<f32>
      %ratio = stablehlo.exponential %difference : tensor<f32>
      %more = stablehlo.log_plus_one %ratio : tensor<f32>
      %sum = stablehlo.add %larger, %more : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }
  return %result : tensor<6xf32>
}
