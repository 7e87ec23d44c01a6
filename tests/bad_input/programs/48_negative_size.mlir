// expect: 3:28 parse "expected an element type, such as f32, found '-2'"
// hint: write x after each size, as in tensor<2x3xf32>
func.func @main(%a: tensor<-2xf32>) {
  return
}
