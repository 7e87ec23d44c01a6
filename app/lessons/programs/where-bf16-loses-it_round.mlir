// Whole numbers as bf16, and back.
func.func @main(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<32x32xf32>) {
  %short = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xbf16>
  %back = stablehlo.convert %short : (tensor<6xbf16>) -> tensor<6xf32>

  // The same for 0, 1, 2, … 1023: the error of each.
  %all = stablehlo.iota dim = 0 : tensor<1024xf32>
  %all_short = stablehlo.convert %all : (tensor<1024xf32>) -> tensor<1024xbf16>
  %all_back = stablehlo.convert %all_short : (tensor<1024xbf16>) -> tensor<1024xf32>
  %off = stablehlo.subtract %all_back, %all : tensor<1024xf32>
  %square = stablehlo.reshape %off : (tensor<1024xf32>) -> tensor<32x32xf32>
  return %back, %square : tensor<6xf32>, tensor<32x32xf32>
}
