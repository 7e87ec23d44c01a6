// title: The place behind the last element of a bucket, by counting
// fault: 130 elements go to bucket 1, whose count is i8
// inputs: iota; iota
func.func @main(%sorted: tensor<140xf32>, %order: tensor<130xi32>) -> tensor<1xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<130xi32>
  %zeros = stablehlo.multiply %order, %two : tensor<130xi32>
  %same = stablehlo.subtract %zeros, %zeros : tensor<130xi32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<i32>) -> tensor<130xi32>
  %buckets = stablehlo.add %same, %ones : tensor<130xi32>
  %counts = stablehlo.constant dense<0> : tensor<3xi8> // faulty
  %each = stablehlo.constant dense<1> : tensor<130xi8> // faulty
  %counts = stablehlo.constant dense<0> : tensor<3xi32> // sound
  %each = stablehlo.constant dense<1> : tensor<130xi32> // sound
  %counted = "stablehlo.scatter"(%counts, %buckets, %each) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({ // FAULT
  ^bb0(%a: tensor<i8>, %b: tensor<i8>): // faulty
    %sum = stablehlo.add %a, %b : tensor<i8> // faulty
    stablehlo.return %sum : tensor<i8> // faulty
  }) : (tensor<3xi8>, tensor<130xi32>, tensor<130xi8>) -> tensor<3xi8> // faulty
  %second = stablehlo.slice %counted [1:2] : (tensor<3xi8>) -> tensor<1xi8> // faulty
  %place = stablehlo.reshape %second : (tensor<1xi8>) -> tensor<i8> // faulty
  %element = stablehlo.dynamic_slice %sorted, %place, sizes = [1] : (tensor<140xf32>, tensor<i8>) -> tensor<1xf32> // faulty
  ^bb0(%a: tensor<i32>, %b: tensor<i32>): // sound
    %sum = stablehlo.add %a, %b : tensor<i32> // sound
    stablehlo.return %sum : tensor<i32> // sound
  }) : (tensor<3xi32>, tensor<130xi32>, tensor<130xi32>) -> tensor<3xi32> // sound
  %second = stablehlo.slice %counted [1:2] : (tensor<3xi32>) -> tensor<1xi32> // sound
  %place = stablehlo.reshape %second : (tensor<1xi32>) -> tensor<i32> // sound
  %element = stablehlo.dynamic_slice %sorted, %place, sizes = [1] : (tensor<140xf32>, tensor<i32>) -> tensor<1xf32> // sound
  return %element : tensor<1xf32>
}
