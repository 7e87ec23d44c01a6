// title: The log of a determinant of 2 x 2 matrices, as the density of a normal distribution has it
// fault: the second matrix is no covariance: its determinant is negative
// inputs faulty: [[[2, 0.5], [0.5, 1]], [[1, 2], [2, 1]]]
// inputs sound: [[[2, 0.5], [0.5, 1]], [[3, 2], [2, 3]]]
func.func @main(%covariances: tensor<2x2x2xf32>) -> tensor<2xf32> {
  %a = stablehlo.slice %covariances [0:2, 0:1, 0:1] : (tensor<2x2x2xf32>) -> tensor<2x1x1xf32>
  %b = stablehlo.slice %covariances [0:2, 0:1, 1:2] : (tensor<2x2x2xf32>) -> tensor<2x1x1xf32>
  %c = stablehlo.slice %covariances [0:2, 1:2, 0:1] : (tensor<2x2x2xf32>) -> tensor<2x1x1xf32>
  %d = stablehlo.slice %covariances [0:2, 1:2, 1:2] : (tensor<2x2x2xf32>) -> tensor<2x1x1xf32>
  %main = stablehlo.multiply %a, %d : tensor<2x1x1xf32>
  %other = stablehlo.multiply %b, %c : tensor<2x1x1xf32>
  %difference = stablehlo.subtract %main, %other : tensor<2x1x1xf32>
  %determinants = stablehlo.reshape %difference : (tensor<2x1x1xf32>) -> tensor<2xf32>
  %logs = stablehlo.log %determinants : tensor<2xf32> // FAULT
  %half = stablehlo.constant dense<-0.5> : tensor<2xf32>
  %density = stablehlo.multiply %logs, %half : tensor<2xf32>
  return %density : tensor<2xf32>
}
