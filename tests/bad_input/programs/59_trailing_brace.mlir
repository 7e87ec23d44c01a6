// expect: 6:1 parse "expected the end of the text, found '}'"
// hint: a program is a module, or functions without a module
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
}
