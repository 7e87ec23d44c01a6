// title: A loss of what a solver gives, as JAX writes it: NaN where the solver says that it has failed
// fault: the matrix is singular, the solver says so, and the loss is NaN
// inputs faulty: [[1, 2], [2, 4]]; [1, 3]
// inputs sound: [[1, 2], [2, 5]]; [1, 3]
func.func @main(%matrix: tensor<2x2xf32>, %right: tensor<2xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %solution, %solved = func.call @solve(%matrix, %right) : (tensor<2x2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i1>)
  %failed = stablehlo.broadcast_in_dim %nan, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %checked = stablehlo.select %solved, %solution, %failed : tensor<i1>, tensor<2xf32> // FAULT
  %squares = stablehlo.multiply %checked, %checked : tensor<2xf32>
  %loss = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
// By Cramer's rule, without a division by 0.
func.func private @solve(%m: tensor<2x2xf32>, %r: tensor<2xf32>) -> (tensor<2xf32>, tensor<i1>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %numbers = stablehlo.reshape %m : (tensor<2x2xf32>) -> tensor<4xf32>
  %turned = stablehlo.reverse %numbers, dims = [0] : tensor<4xf32>
  %products = stablehlo.multiply %numbers, %turned : tensor<4xf32>
  %first = stablehlo.slice %products [0:1] : (tensor<4xf32>) -> tensor<1xf32>
  %second = stablehlo.slice %products [1:2] : (tensor<4xf32>) -> tensor<1xf32>
  %difference = stablehlo.subtract %first, %second : tensor<1xf32>
  %determinant = stablehlo.reshape %difference : (tensor<1xf32>) -> tensor<f32>
  %solved = stablehlo.compare NE, %determinant, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %divisor = stablehlo.select %solved, %determinant, %one : tensor<i1>, tensor<f32>
  %divisors = stablehlo.broadcast_in_dim %divisor, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %signs = stablehlo.constant dense<[1.0, -1.0, -1.0, 1.0]> : tensor<4xf32>
  %signed = stablehlo.multiply %turned, %signs : tensor<4xf32>
  %scaled = stablehlo.divide %signed, %divisors : tensor<4xf32>
  %inverse = stablehlo.reshape %scaled : (tensor<4xf32>) -> tensor<2x2xf32>
  %solution = stablehlo.dot_general %inverse, %r, contracting_dims = [0] x [0] : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %solution, %solved : tensor<2xf32>, tensor<i1>
}
