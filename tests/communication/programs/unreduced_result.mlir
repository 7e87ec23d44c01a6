module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"x"}>}) { // faulty
  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) { // sound
    %terms = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [], unreduced={"x"}>] manual_axes={"x"} (%part: tensor<2xf32>) { // FAULT
      %none = stablehlo.constant dense<0.0> : tensor<f32>
      %own = stablehlo.reduce(%part init: %none) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      sdy.return %own : tensor<f32>
    } : (tensor<4xf32>) -> tensor<f32>
    return %terms : tensor<f32> // faulty
    %sum = sdy.all_reduce {"x"} %terms out_sharding=<@mesh, []> : tensor<f32> // sound
    return %sum : tensor<f32> // sound
  }
}
// note: result 0 is stated to be unreduced: each device returns one of 2 terms, and no collective adds them
