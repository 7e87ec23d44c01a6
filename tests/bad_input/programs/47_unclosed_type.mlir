// expect: 3:33 parse "expected '>', which closes the tensor type, found ')'"
// hint: the '<' opened on line 3 is not closed
func.func @main(%a: tensor<2xf32) {
  return
}
