// title: func.return
// description: Ends a function and returns two values to the caller in another order.
func.func private @swap(%x: tensor<i32>, %y: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  return %y, %x : tensor<i32>, tensor<i32>
}

func.func @main() -> (tensor<i32>, tensor<i32>) {
  %x = stablehlo.constant dense<1> : tensor<i32>
  %y = stablehlo.constant dense<2> : tensor<i32>
  %first, %second = call @swap(%x, %y) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  check.expect_eq_const %first, dense<2> : tensor<i32>
  check.expect_eq_const %second, dense<1> : tensor<i32>
  return %first, %second : tensor<i32>, tensor<i32>
}
