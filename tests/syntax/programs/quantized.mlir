module @quantized {
  func.func @main(%arg0: tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>>, %arg1: tensor<2x2x!quant.uniform<u8<1:200>:f32:1, {1.000000e-01:3,5.000000e-01}>>, %arg2: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>>
    %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>>) -> tensor<2xf32>
    %2 = stablehlo.uniform_quantize %1 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>>
    return %1 : tensor<2xf32>
  }
}
