// title: Where segments begin, from the running sum of their lengths
// fault: the lengths are i8, and 60 + 50 + 40 is beyond it: the third segment begins at -106
// inputs: iota; [60, 50, 40, 30]
func.func @main(%rows: tensor<200xf32>, %lengths: tensor<4xi8>) -> tensor<4xf32> {
  %none = stablehlo.constant dense<0> : tensor<i8> // faulty
  %wide = stablehlo.convert %lengths : (tensor<4xi8>) -> tensor<4xi32> // sound
  %none = stablehlo.constant dense<0> : tensor<i32> // sound
  %ends = "stablehlo.reduce_window"(%lengths, %none) <{window_dimensions = array<i64: 4>, padding = dense<[[3, 0]]> : tensor<1x2xi64>}> ({ // faulty FAULT
  ^bb0(%a: tensor<i8>, %b: tensor<i8>): // faulty
    %sum = stablehlo.add %a, %b : tensor<i8> // faulty
    stablehlo.return %sum : tensor<i8> // faulty
  }) : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8> // faulty
  %starts = stablehlo.subtract %ends, %lengths : tensor<4xi8> // faulty
  %ends = "stablehlo.reduce_window"(%wide, %none) <{window_dimensions = array<i64: 4>, padding = dense<[[3, 0]]> : tensor<1x2xi64>}> ({ // sound
  ^bb0(%a: tensor<i32>, %b: tensor<i32>): // sound
    %sum = stablehlo.add %a, %b : tensor<i32> // sound
    stablehlo.return %sum : tensor<i32> // sound
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32> // sound
  %starts = stablehlo.subtract %ends, %wide : tensor<4xi32> // sound
  %first = "stablehlo.gather"(%rows, %starts) <{ // faulty
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1> // faulty
  }> : (tensor<200xf32>, tensor<4xi8>) -> tensor<4xf32> // faulty
  %first = "stablehlo.gather"(%rows, %starts) <{ // sound
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1> // sound
  }> : (tensor<200xf32>, tensor<4xi32>) -> tensor<4xf32> // sound
  return %first : tensor<4xf32>
}
