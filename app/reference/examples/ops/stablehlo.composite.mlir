// title: stablehlo.composite
// description: A named unit whose meaning is the function my_op.
func.func private @my_op(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %sum = stablehlo.add %x, %y : tensor<f32>
  return %sum : tensor<f32>
}

func.func @main() -> tensor<f32> {
  %input0 = stablehlo.constant dense<1.0> : tensor<f32>
  %input1 = stablehlo.constant dense<2.0> : tensor<f32>
  %results = stablehlo.composite "my_namespace.my_op" %input0, %input1 {
    composite_attributes = {my_attribute = "my_value"}, decomposition = @my_op, version = 1 : i32
  } : (tensor<f32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %results, dense<3.0> : tensor<f32>
  return %results : tensor<f32>
}
