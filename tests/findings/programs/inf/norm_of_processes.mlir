// title: The squared norm of a gradient that is spread over four processes
// fault: each part is finite, and their sum above the largest f32
// inputs faulty: each [1.5e19] | [1.2e19] | [1.1e19] | [1e18]
// inputs sound: each [1.5e18] | [1.2e18] | [1.1e18] | [1e17]
module @norm attributes {mhlo.num_replicas = 4 : i32, mhlo.num_partitions = 1 : i32} {
  func.func @main(%gradient: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
    %squares = stablehlo.multiply %gradient, %gradient : tensor<1xf32>
    %total = "stablehlo.all_reduce"(%squares) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({ // FAULT
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<1xf32>) -> tensor<1xf32>
    %norm = stablehlo.sqrt %total : tensor<1xf32>
    %unit = stablehlo.divide %gradient, %norm : tensor<1xf32>
    return %unit, %norm : tensor<1xf32>, tensor<1xf32>
  }
}
