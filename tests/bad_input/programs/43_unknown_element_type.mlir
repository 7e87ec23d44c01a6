// expect: 3:30 parse "'f33' is not an element type of tensors"
// hint: did you mean 'f32'?
func.func @main(%a: tensor<2xf33>) {
  return
}
