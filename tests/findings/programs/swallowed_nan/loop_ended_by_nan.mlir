// title: Steps towards a target, until the error is small
// fault: the given target is NaN: no error is above the limit, and the loop ends at once
// inputs faulty: 1; nan
// inputs sound: 1; 3
func.func @main(%begin: tensor<f32>, %target: tensor<f32>) -> tensor<f32> {
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %limit = stablehlo.constant dense<0.01> : tensor<f32>
  %end = stablehlo.while(%x = %begin) : tensor<f32>
    cond {
      %left = stablehlo.subtract %target, %x : tensor<f32>
      %error = stablehlo.abs %left : tensor<f32>
      %more = stablehlo.compare GT, %error, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1> // FAULT
      stablehlo.return %more : tensor<i1>
    } do {
      %rest = stablehlo.subtract %target, %x : tensor<f32>
      %part = stablehlo.multiply %rest, %half : tensor<f32>
      %next = stablehlo.add %x, %part : tensor<f32>
      stablehlo.return %next : tensor<f32>
    }
  return %end : tensor<f32>
}
