// title: XLA: case
// description: Conditional with an index: one that no branch has means the last.
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  %low = stablehlo.constant dense<-1> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %high = stablehlo.constant dense<7> : tensor<i32>
  %x = stablehlo.constant dense<10> : tensor<i32>
  %r0 = "stablehlo.case"(%low) ({
    stablehlo.return %x : tensor<i32>
  }, {
    %y = stablehlo.add %x, %one : tensor<i32>
    stablehlo.return %y : tensor<i32>
  }, {
    %y = stablehlo.multiply %x, %x : tensor<i32>
    stablehlo.return %y : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  %r1 = "stablehlo.case"(%one) ({
    stablehlo.return %x : tensor<i32>
  }, {
    %y = stablehlo.add %x, %one : tensor<i32>
    stablehlo.return %y : tensor<i32>
  }, {
    %y = stablehlo.multiply %x, %x : tensor<i32>
    stablehlo.return %y : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  %r2 = "stablehlo.case"(%high) ({
    stablehlo.return %x : tensor<i32>
  }, {
    %y = stablehlo.add %x, %one : tensor<i32>
    stablehlo.return %y : tensor<i32>
  }, {
    %y = stablehlo.multiply %x, %x : tensor<i32>
    stablehlo.return %y : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r0, dense<100> : tensor<i32>
  check.expect_eq_const %r1, dense<11> : tensor<i32>
  check.expect_eq_const %r2, dense<100> : tensor<i32>
  return %r0, %r1, %r2 : tensor<i32>, tensor<i32>, tensor<i32>
}
