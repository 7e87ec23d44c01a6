// title: Newton's method in a while loop
// description: Each iteration is a separate frame: step through them and watch the guess approach the square root of 2.
// inputs: dense<2.0>; dense<1.0e-6>
func.func @main(%number: tensor<f32>, %tolerance: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %root, %iterations = stablehlo.while(%guess = %number, %count = %zero) : tensor<f32>, tensor<i32>
    cond {
      %square = stablehlo.multiply %guess, %guess : tensor<f32>
      %difference = stablehlo.subtract %square, %number : tensor<f32>
      %error = stablehlo.abs %difference : tensor<f32>
      %wrong = stablehlo.compare GT, %error, %tolerance, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %limit = stablehlo.constant dense<50> : tensor<i32>
      %early = stablehlo.compare LT, %count, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %go_on = stablehlo.and %wrong, %early : tensor<i1>
      stablehlo.return %go_on : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %quotient = stablehlo.divide %number, %guess : tensor<f32>
      %both = stablehlo.add %guess, %quotient : tensor<f32>
      %better = stablehlo.multiply %both, %half : tensor<f32>
      %next = stablehlo.add %count, %one : tensor<i32>
      stablehlo.return %better, %next : tensor<f32>, tensor<i32>
    }
  return %root, %iterations : tensor<f32>, tensor<i32>
}
