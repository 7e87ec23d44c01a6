// title: XLA: composite_call
// description: CompositeCall: the attributes describe it, the decomposition computes it.
func.func private @computation(%x: tensor<f32>) -> tensor<f32> {
  %twice = stablehlo.add %x, %x : tensor<f32>
  return %twice : tensor<f32>
}

func.func @main() -> tensor<f32> {
  %cst = stablehlo.constant dense<4.0> : tensor<f32>
  %result = stablehlo.composite "foo.bar" %cst {composite_attributes = {n = 1 : i32, tensor = dense<1> : tensor<i32>}, decomposition = @computation, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %result, dense<8.0> : tensor<f32>
  return %result : tensor<f32>
}
