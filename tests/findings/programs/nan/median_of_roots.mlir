// title: The greatest of some roots, NaN if there is any, as jnp.median has it
// fault: one root is that of a negative number; the program asks for NaN and takes its own
// inputs faulty: [4.0, -1.0, 9.0]
// inputs sound: [4.0, 1.0, 9.0]
func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
  %nothing = stablehlo.constant dense<false> : tensor<i1>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<3xf32>
  %roots = stablehlo.sqrt %x : tensor<3xf32> // FAULT
  %bad = stablehlo.compare NE, %roots, %roots : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %clean = stablehlo.select %bad, %zeros, %roots : tensor<3xi1>, tensor<3xf32>
  %greatest = stablehlo.reduce(%clean init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %any = stablehlo.reduce(%bad init: %nothing) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
  %result = stablehlo.select %any, %nan, %greatest : tensor<i1>, tensor<f32>
  return %result : tensor<f32>
}
