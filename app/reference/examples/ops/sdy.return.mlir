// title: sdy.return
// description: Ends the body of a computation and returns its results.
sdy.mesh @mesh = <["x"=1]>

func.func @main() -> tensor<4xi32> {
  %operand = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %result = sdy.named_computation<"twice">(%operand) (%part: tensor<4xi32>) {
    %twice = stablehlo.add %part, %part : tensor<4xi32>
    sdy.return %twice : tensor<4xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  check.expect_eq_const %result, dense<[2, 4, 6, 8]> : tensor<4xi32>
  return %result : tensor<4xi32>
}
