// title: sdy.manual_computation
// description: Runs its body on each of two devices, each with half of the operand, and joins the halves.
sdy.mesh @mesh = <["x"=2]>

func.func @main() -> tensor<4xi32> {
  %operand = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %result = sdy.manual_computation(%operand) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%part: tensor<2xi32>) {
    %twice = stablehlo.add %part, %part : tensor<2xi32>
    sdy.return %twice : tensor<2xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  check.expect_eq_const %result, dense<[2, 4, 6, 8]> : tensor<4xi32>
  return %result : tensor<4xi32>
}
