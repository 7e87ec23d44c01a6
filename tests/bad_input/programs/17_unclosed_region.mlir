// expect: 6:40 parse "expected '}', an operation or a block, found the end of the text"
// hint: the '{' opened on line 5 is not closed
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<2xf32>
