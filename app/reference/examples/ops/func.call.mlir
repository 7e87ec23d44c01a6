// title: func.call
// description: Calls @double twice: a function is written once and may be called often.
func.func private @double(%x: tensor<2xi32>) -> tensor<2xi32> {
  %twice = stablehlo.add %x, %x : tensor<2xi32>
  return %twice : tensor<2xi32>
}

func.func @main() -> tensor<2xi32> {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %two = call @double(%x) : (tensor<2xi32>) -> tensor<2xi32>
  %four = call @double(%two) : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %four, dense<[4, 8]> : tensor<2xi32>
  return %four : tensor<2xi32>
}
