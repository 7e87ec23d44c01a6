// expect: 5:10 structure "%y is defined outside of the region"
// expect: 6:5 structure "%y is defined outside of the region"
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = sdy.named_computation<"block">(%x) (%a: tensor<4xf32>) {
    %z = stablehlo.add %a, %y : tensor<4xf32>
    sdy.return %y : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
