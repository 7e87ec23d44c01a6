// title: send_recv_partitions
// description: With a channel, pairs are of partitions in each replica; two values of different types go together.
func.func private @process(%x: tensor<2xi64>, %y: tensor<f32>) -> (tensor<2xi64>, tensor<f32>) {
  %token = stablehlo.create_token : !stablehlo.token
  %sent = "stablehlo.send"(%x, %y, %token) <{
    channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>
  }> : (tensor<2xi64>, tensor<f32>, !stablehlo.token) -> !stablehlo.token
  %come:3 = "stablehlo.recv"(%sent) <{
    channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>
  }> : (!stablehlo.token) -> (tensor<2xi64>, tensor<f32>, !stablehlo.token)
  return %come#0, %come#1 : tensor<2xi64>, tensor<f32>
}

func.func @main() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %y = stablehlo.constant dense<0.5> : tensor<f32>
  %r:8 = "interpreter.run_parallel"(%a, %y, %a, %y, %b, %y, %b, %y) {programs = [[@process, @process], [@process, @process]]}
    : (tensor<2xi64>, tensor<f32>, tensor<2xi64>, tensor<f32>, tensor<2xi64>, tensor<f32>, tensor<2xi64>, tensor<f32>)
    -> (tensor<2xi64>, tensor<f32>, tensor<2xi64>, tensor<f32>, tensor<2xi64>, tensor<f32>, tensor<2xi64>, tensor<f32>)
  check.expect_eq_const %r#0, dense<0> : tensor<2xi64>
  check.expect_eq_const %r#1, dense<0.0> : tensor<f32>
  check.expect_eq_const %r#2, dense<[1, 2]> : tensor<2xi64>
  check.expect_eq_const %r#3, dense<0.5> : tensor<f32>
  check.expect_eq_const %r#4, dense<0> : tensor<2xi64>
  check.expect_eq_const %r#6, dense<[3, 4]> : tensor<2xi64>
  check.expect_eq_const %r#7, dense<0.5> : tensor<f32>
  return
}
