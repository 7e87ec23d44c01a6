// title: chlo.scan
// description: Running sums that begin with 10, and the final sum as a second result.
func.func @main() -> (tensor<4xi32>, tensor<i32>) {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %start = stablehlo.constant dense<10> : tensor<i32>
  %sums, %last = "chlo.scan"(%x, %start) <{
    dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>, is_reverse = false
  }> ({
  ^bb0(%element: tensor<i32>, %carry: tensor<i32>):
    %sum = stablehlo.add %element, %carry : tensor<i32>
    stablehlo.return %sum, %sum : tensor<i32>, tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  check.expect_eq_const %sums, dense<[11, 13, 16, 20]> : tensor<4xi32>
  check.expect_eq_const %last, dense<20> : tensor<i32>
  return %sums, %last : tensor<4xi32>, tensor<i32>
}
