// Adds 1 three hundred times, in bf16.
func.func @main() -> (tensor<bf16>, tensor<i32>) {
  %none = stablehlo.constant dense<0> : tensor<i32>
  %step = stablehlo.constant dense<1> : tensor<i32>
  %rounds = stablehlo.constant dense<300> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<bf16>
  %one = stablehlo.constant dense<1.0> : tensor<bf16>
  %count, %total = stablehlo.while(
      %i = %none,
      %sum = %start
    ) : tensor<i32>, tensor<bf16>
    cond {
      %go_on = stablehlo.compare LT, %i, %rounds, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go_on : tensor<i1>
    } do {
      %more = stablehlo.add %sum, %one : tensor<bf16>
      %next = stablehlo.add %i, %step : tensor<i32>
      stablehlo.return %next, %more : tensor<i32>, tensor<bf16>
    }
  return %total, %count : tensor<bf16>, tensor<i32>
}
