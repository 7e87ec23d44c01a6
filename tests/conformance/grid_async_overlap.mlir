// title: async_overlap
// description: Two gatherings are under way at once and are waited for in the other order; nobody waits at a start.
func.func private @process(%x: tensor<1xi64>) -> (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) {
  %first = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<1xi64>):
    %all = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1xi64>) -> tensor<2xi64>
    stablehlo.return %all : tensor<2xi64>
  }) : (tensor<1xi64>) -> !stablehlo.future<tensor<2xi64>>
  %doubled = stablehlo.add %x, %x : tensor<1xi64>
  %second = "stablehlo.async_start"(%doubled) ({
  ^bb0(%a: tensor<1xi64>):
    %sum = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb1(%p: tensor<i64>, %q: tensor<i64>):
      %s = stablehlo.add %p, %q : tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) : (tensor<1xi64>) -> tensor<1xi64>
    stablehlo.return %sum : tensor<1xi64>
  }) : (tensor<1xi64>) -> !stablehlo.future<tensor<1xi64>>
  %meanwhile = stablehlo.multiply %x, %doubled : tensor<1xi64>
  %sum = "stablehlo.async_done"(%second) : (!stablehlo.future<tensor<1xi64>>) -> tensor<1xi64>
  %all = "stablehlo.async_done"(%first) : (!stablehlo.future<tensor<2xi64>>) -> tensor<2xi64>
  return %all, %sum, %meanwhile : tensor<2xi64>, tensor<1xi64>, tensor<1xi64>
}

func.func @main() {
  %x = stablehlo.constant dense<3> : tensor<1xi64>
  %y = stablehlo.constant dense<4> : tensor<1xi64>
  %r:6 = "interpreter.run_parallel"(%x, %y) {programs = [[@process], [@process]]}
    : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<2xi64>, tensor<1xi64>, tensor<1xi64>)
  check.expect_eq_const %r#0, dense<[3, 4]> : tensor<2xi64>
  check.expect_eq_const %r#1, dense<14> : tensor<1xi64>
  check.expect_eq_const %r#2, dense<18> : tensor<1xi64>
  check.expect_eq_const %r#3, dense<[3, 4]> : tensor<2xi64>
  check.expect_eq_const %r#4, dense<14> : tensor<1xi64>
  check.expect_eq_const %r#5, dense<32> : tensor<1xi64>
  return
}
