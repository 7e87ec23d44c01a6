// title: Levels of readings, one of which is missing
// fault: NaN becomes the integer 0, the number of the lowest level
// inputs: [0.3, 0.9, nan, 0.1]; [10, 20, 30, 40]
func.func @main(%readings: tensor<4xf32>, %levels: tensor<4xf32>) -> tensor<4xf32> {
  %count = stablehlo.constant dense<4.0> : tensor<4xf32>
  %halves = stablehlo.constant dense<0.5> : tensor<4xf32>
  %missing = stablehlo.compare NE, %readings, %readings : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %filled = stablehlo.select %missing, %halves, %readings : tensor<4xi1>, tensor<4xf32>
  %scaled = stablehlo.multiply %readings, %count : tensor<4xf32> // faulty
  %scaled = stablehlo.multiply %filled, %count : tensor<4xf32> // sound
  %numbers = stablehlo.convert %scaled : (tensor<4xf32>) -> tensor<4xi32> // FAULT
  %result = "stablehlo.gather"(%levels, %numbers) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>
  }> : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return %result : tensor<4xf32>
}
