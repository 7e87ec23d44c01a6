// expect: 7:12 structure "%y is defined outside of the region"
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<4xi1>, %y: tensor<2xi1>) -> tensor<4xi1> {
  %r = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%a: tensor<2xi1>) {
    %q = stablehlo.constant dense<true> : tensor<i1>
    %z = "stablehlo.if"(%q) ({
      %s = stablehlo.add %a, %y : tensor<2xi1>
      stablehlo.return %s : tensor<2xi1>
    }, {
      stablehlo.return %a : tensor<2xi1>
    }) : (tensor<i1>) -> tensor<2xi1>
    sdy.return %z : tensor<2xi1>
  } : (tensor<4xi1>) -> tensor<4xi1>
  return %r : tensor<4xi1>
}
