// title: A look-up in a table by a product of numbers with eight bits behind the point
// fault: 1.5 * 2 is 384 * 512 in such numbers, which is beyond i16
// inputs: iota; [256, 384]; [512, 512]
func.func @main(%table: tensor<1024xf32>, %x: tensor<2xi16>, %y: tensor<2xi16>) -> tensor<2xf32> {
  %product = stablehlo.multiply %x, %y : tensor<2xi16> // faulty FAULT
  %bits = stablehlo.constant dense<8> : tensor<2xi16> // faulty
  %places = stablehlo.shift_right_arithmetic %product, %bits : tensor<2xi16> // faulty
  %index = stablehlo.convert %places : (tensor<2xi16>) -> tensor<2xi32> // faulty
  %wide_x = stablehlo.convert %x : (tensor<2xi16>) -> tensor<2xi32> // sound
  %wide_y = stablehlo.convert %y : (tensor<2xi16>) -> tensor<2xi32> // sound
  %product = stablehlo.multiply %wide_x, %wide_y : tensor<2xi32> // sound
  %bits = stablehlo.constant dense<8> : tensor<2xi32> // sound
  %index = stablehlo.shift_right_arithmetic %product, %bits : tensor<2xi32> // sound
  %vectors = stablehlo.reshape %index : (tensor<2xi32>) -> tensor<2x1xi32>
  %found = "stablehlo.gather"(%table, %vectors) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<1024xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  return %found : tensor<2xf32>
}
