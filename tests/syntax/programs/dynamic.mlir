module @dynamic {
  func.func @main(%arg0: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %arg1: tensor<?x?xf32>, %arg2: tensor<2xi64>) -> tensor<?x?xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
    %1 = stablehlo.dynamic_broadcast_in_dim %arg1, %arg2, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>} : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %2 = stablehlo.dynamic_iota %arg2, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
    %3 = stablehlo.dynamic_reshape %2, %arg2 : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %4 = stablehlo.set_dimension_size %1, %c, dim = 0 : (tensor<?x?xf32>, tensor<i32>) -> tensor<?x?xf32, #stablehlo.bounds<3, ?>>
    return %3 : tensor<?x?xf32>
  }
}
