// expect: 5:8 constraint [C1] "cond must be (tensor<2xf32>) -> tensor<i1>, not (tensor<2xf32>) -> ()"
// expect: 8:3 structure "the region does not end with `stablehlo.return`"
// hint: end it with `stablehlo.return …`, which returns its results
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %t = stablehlo.constant dense<true> : tensor<i1>
  }, {
  ^bb0(%x: tensor<2xf32>):
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
