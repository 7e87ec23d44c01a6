// expect: 3:28 parse "expected an element type, such as f32, found '-2'"
// hint: sizes have x behind them, as in tensor<2x3xf32>
func.func @main(%a: tensor<-2xf32>) {
  return
}
