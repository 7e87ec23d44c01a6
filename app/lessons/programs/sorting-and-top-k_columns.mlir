// Each column of a table, sorted independently.
func.func @main(%table: tensor<3x2xi32>) -> tensor<3x2xi32> {
  %columns = "stablehlo.sort"(%table) <{
    dimension = 0 : i64, is_stable = false
  }> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %before = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %before : tensor<i1>
  }) : (tensor<3x2xi32>) -> tensor<3x2xi32>
  return %columns : tensor<3x2xi32>
}
