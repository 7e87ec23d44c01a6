// title: XLA: reduce_argmax
// description: A Reduce of two operands that finds the largest element and where it stands; of equals, with >=, the last.
func.func @main() -> (tensor<i32>, tensor<i32>) {
  %x = stablehlo.constant dense<[1, 7, 3, 7, 2]> : tensor<5xi32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 0 : tensor<5xi32>
  %max, %argmax = stablehlo.reduce(%x init: %least), (%i init: %zero) across dimensions = [0] : (tensor<5xi32>, tensor<5xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  reducer(%m: tensor<i32>, %v: tensor<i32>) (%at: tensor<i32>, %here: tensor<i32>) {
    %wins = stablehlo.compare GE, %v, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %value = stablehlo.select %wins, %v, %m : tensor<i1>, tensor<i32>
    %index = stablehlo.select %wins, %here, %at : tensor<i1>, tensor<i32>
    stablehlo.return %value, %index : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %max, dense<7> : tensor<i32>
  check.expect_eq_const %argmax, dense<3> : tensor<i32>
  return %max, %argmax : tensor<i32>, tensor<i32>
}
