// expect: 4:28 parse "expected '}', an operation or a block, found the end of the text"
// hint: the '{' opened on line 3 is not closed
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
