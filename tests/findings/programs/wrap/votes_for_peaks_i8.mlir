// title: Windows send their votes to their greatest element; the votes are where its neighbours begin
// fault: two windows choose element 2, and 70 + 80 votes are beyond i8
// inputs: iota; [1, 2, 9, 3, 4]; [70, 80]
func.func @main(%neighbours: tensor<200xf32>, %heights: tensor<5xi32>, %votes: tensor<2xi32>) -> tensor<1xf32> {
  %of_each = stablehlo.convert %heights : (tensor<5xi32>) -> tensor<5xi8> // faulty
  %sent = stablehlo.convert %votes : (tensor<2xi32>) -> tensor<2xi8> // faulty
  %none = stablehlo.constant dense<0> : tensor<i8> // faulty
  %none = stablehlo.constant dense<0> : tensor<i32> // sound
  %counted = "stablehlo.select_and_scatter"(%of_each, %sent, %none) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({ // faulty FAULT
  %counted = "stablehlo.select_and_scatter"(%heights, %votes, %none) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({ // sound
  ^bb0(%a: tensor<i8>, %b: tensor<i8>): // faulty
    %greater = stablehlo.compare GE, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1> // faulty
  ^bb0(%a: tensor<i32>, %b: tensor<i32>): // sound
    %greater = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1> // sound
    stablehlo.return %greater : tensor<i1>
  }, {
  ^bb0(%a: tensor<i8>, %b: tensor<i8>): // faulty
    %sum = stablehlo.add %a, %b : tensor<i8> // faulty
    stablehlo.return %sum : tensor<i8> // faulty
  }) : (tensor<5xi8>, tensor<2xi8>, tensor<i8>) -> tensor<5xi8> // faulty
  %peak = stablehlo.slice %counted [2:3] : (tensor<5xi8>) -> tensor<1xi8> // faulty
  %start = stablehlo.reshape %peak : (tensor<1xi8>) -> tensor<i8> // faulty
  %first = stablehlo.dynamic_slice %neighbours, %start, sizes = [1] : (tensor<200xf32>, tensor<i8>) -> tensor<1xf32> // faulty
  ^bb0(%a: tensor<i32>, %b: tensor<i32>): // sound
    %sum = stablehlo.add %a, %b : tensor<i32> // sound
    stablehlo.return %sum : tensor<i32> // sound
  }) : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32> // sound
  %peak = stablehlo.slice %counted [2:3] : (tensor<5xi32>) -> tensor<1xi32> // sound
  %start = stablehlo.reshape %peak : (tensor<1xi32>) -> tensor<i32> // sound
  %first = stablehlo.dynamic_slice %neighbours, %start, sizes = [1] : (tensor<200xf32>, tensor<i32>) -> tensor<1xf32> // sound
  return %first : tensor<1xf32>
}
