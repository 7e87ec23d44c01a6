// title: XLA: custom_call
// description: CustomCall of a function that the program does not hold: the run stops there and names it.
// stops: myfunc
func.func @main() -> tensor<3x3xf32> {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = stablehlo.constant dense<[[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]]> : tensor<2x3xf32>
  %z = stablehlo.custom_call @myfunc(%x, %y) : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
  return %z : tensor<3x3xf32>
}
