// title: send_recv_ring
// description: Four replicas add up what all of them have, in three rounds around a ring; even ones send first, odd ones receive first.
func.func private @even(%x: tensor<2xi64>) -> tensor<2xi64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %start = stablehlo.create_token : !stablehlo.token
  %i, %moving, %sum, %t = "stablehlo.while"(%zero, %x, %x, %start) ({
  ^bb0(%i: tensor<i64>, %moving: tensor<2xi64>, %sum: tensor<2xi64>, %t: !stablehlo.token):
    %rounds = stablehlo.constant dense<3> : tensor<i64>
    %more = stablehlo.compare LT, %i, %rounds : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  }, {
  ^bb0(%i: tensor<i64>, %moving: tensor<2xi64>, %sum: tensor<2xi64>, %t: !stablehlo.token):
    %sent = "stablehlo.send"(%moving, %t) <{
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>
    }> : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
    %come, %received = "stablehlo.recv"(%sent) <{
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>
    }> : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    %more = stablehlo.add %sum, %come : tensor<2xi64>
    %one = stablehlo.constant dense<1> : tensor<i64>
    %next = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %next, %come, %more, %received : tensor<i64>, tensor<2xi64>, tensor<2xi64>, !stablehlo.token
  }) : (tensor<i64>, tensor<2xi64>, tensor<2xi64>, !stablehlo.token) -> (tensor<i64>, tensor<2xi64>, tensor<2xi64>, !stablehlo.token)
  return %sum : tensor<2xi64>
}

func.func private @odd(%x: tensor<2xi64>) -> tensor<2xi64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %start = stablehlo.create_token : !stablehlo.token
  %i, %moving, %sum, %t = "stablehlo.while"(%zero, %x, %x, %start) ({
  ^bb0(%i: tensor<i64>, %moving: tensor<2xi64>, %sum: tensor<2xi64>, %t: !stablehlo.token):
    %rounds = stablehlo.constant dense<3> : tensor<i64>
    %more = stablehlo.compare LT, %i, %rounds : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  }, {
  ^bb0(%i: tensor<i64>, %moving: tensor<2xi64>, %sum: tensor<2xi64>, %t: !stablehlo.token):
    %come, %received = "stablehlo.recv"(%t) <{
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>
    }> : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    %sent = "stablehlo.send"(%moving, %received) <{
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>
    }> : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
    %more = stablehlo.add %sum, %come : tensor<2xi64>
    %one = stablehlo.constant dense<1> : tensor<i64>
    %next = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %next, %come, %more, %sent : tensor<i64>, tensor<2xi64>, tensor<2xi64>, !stablehlo.token
  }) : (tensor<i64>, tensor<2xi64>, tensor<2xi64>, !stablehlo.token) -> (tensor<i64>, tensor<2xi64>, tensor<2xi64>, !stablehlo.token)
  return %sum : tensor<2xi64>
}

func.func @main() {
  %a = stablehlo.constant dense<[1, 10]> : tensor<2xi64>
  %b = stablehlo.constant dense<[2, 20]> : tensor<2xi64>
  %c = stablehlo.constant dense<[3, 30]> : tensor<2xi64>
  %d = stablehlo.constant dense<[4, 40]> : tensor<2xi64>
  %results:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@even], [@odd], [@even], [@odd]]} : (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
  check.expect_eq_const %results#0, dense<[10, 100]> : tensor<2xi64>
  check.expect_eq_const %results#1, dense<[10, 100]> : tensor<2xi64>
  check.expect_eq_const %results#2, dense<[10, 100]> : tensor<2xi64>
  check.expect_eq_const %results#3, dense<[10, 100]> : tensor<2xi64>
  return
}
