// vmap(a @ b) over the first dimension of both.
func.func @main(%a: tensor<2x3x2xi32>, %b: tensor<2x2x3xi32>) -> tensor<2x3x3xi32> {
  %product = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<2x3x2xi32>, tensor<2x2x3xi32>) -> tensor<2x3x3xi32>
  return %product : tensor<2x3x3xi32>
}
