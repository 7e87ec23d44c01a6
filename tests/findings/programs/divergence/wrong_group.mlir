// title: A sum over two groups of processes instead of one
// fault: the sums are of two processes each, though the result is stated to be the same in all four
// inputs: normal[8, 3]
module @mean attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4]>
  func.func public @main(%samples: tensor<8x3xf32>) -> tensor<3xf32> {
    %result = sdy.manual_computation(%samples) in_shardings=[<@mesh, [{"data"}, {}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"data"} (%x: tensor<2x3xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %count = stablehlo.constant dense<8.0> : tensor<3xf32>
      %own = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
      %sum = "stablehlo.all_reduce"(%own) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({ // faulty FAULT
      %sum = "stablehlo.all_reduce"(%own) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({ // sound
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<3xf32>) -> tensor<3xf32>
      %mean = stablehlo.divide %sum, %count : tensor<3xf32>
      sdy.return %mean : tensor<3xf32>
    } : (tensor<8x3xf32>) -> tensor<3xf32>
    return %result : tensor<3xf32>
  }
}
