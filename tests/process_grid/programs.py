"""Programs for several processes."""

ADD = """({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  })"""
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"

RING_LOOP = f"""
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %id = stablehlo.partition_id : tensor<ui32>
  %extra = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %sum = %x, %block = %x) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    cond {{
      %more = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    }} do {{
      %n:2 = stablehlo.while(%j = %zero, %k = %zero) : tensor<i32>, tensor<i32>
        cond {{
          %go = stablehlo.compare LT, %j, %extra : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %go : tensor<i1>
        }} do {{
          %jj = stablehlo.add %j, %one : tensor<i32>
          stablehlo.return %jj, %k : tensor<i32>, tensor<i32>
        }}
      %next = "stablehlo.collective_permute"(%block) <{{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]>
        : tensor<4x2xi64>, {CHANNEL}}}> : (tensor<4xf32>) -> tensor<4xf32>
      %s = stablehlo.add %sum, %next : tensor<4xf32>
      %ii = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %ii, %s, %next : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }}
  return %r#1, %extra : tensor<4xf32>, tensor<i32>
}}
"""
"""The processes of a ring take different numbers of steps between collectives."""

PAIRS = f"""
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %half = "stablehlo.all_reduce"(%x) <{{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, {CHANNEL},
    use_global_device_ids}}> {ADD} : (tensor<4xf32>) -> tensor<4xf32>
  %parts = "stablehlo.reduce_scatter"(%half) <{{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, {CHANNEL},
    scatter_dimension = 0 : i64, use_global_device_ids}}> {ADD} : (tensor<4xf32>) -> tensor<2xf32>
  %all = "stablehlo.all_gather"(%parts) <{{replica_groups = dense<[[3, 1], [2, 0]]> : tensor<2x2xi64>, {CHANNEL},
    all_gather_dim = 0 : i64, use_global_device_ids}}> : (tensor<2xf32>) -> tensor<4xf32>
  return %all : tensor<4xf32>
}}
"""

MESSAGES = """
func.func private @even(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.after_all : !stablehlo.token
  %s = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>,
    is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}>
    : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %r:2 = "stablehlo.recv"(%s) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>,
    is_host_transfer = false, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>}>
    : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %r#0 : tensor<4xf32>
}

func.func private @odd(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.after_all : !stablehlo.token
  %double = stablehlo.add %x, %x : tensor<4xf32>
  %r:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>,
    is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}>
    : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %s = "stablehlo.send"(%double, %r#1) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>,
    is_host_transfer = false, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>}>
    : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %r#0 : tensor<4xf32>
}

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = stablehlo.negate %x : tensor<4xf32>
  %r:2 = "interpreter.run_parallel"(%x, %y) {programs = [[@even, @odd]]}
    : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
"""

STARTED = """
HloModule started, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY main {
  x = f32[4] parameter(0)
  start = f32[4] all-reduce-start(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  id = u32[] partition-id()
  number = f32[] convert(id)
  wide = f32[4] broadcast(number), dimensions={}
  squares = f32[4] multiply(wide, wide)
  moved = (f32[4], f32[4]) collective-permute-start(squares), channel_id=2, source_target_pairs={{0,1},{1,0},{2,3}}
  sum = f32[4] all-reduce-done(start)
  others = f32[4] collective-permute-done(moved)
  ROOT both = f32[4] add(sum, others)
}
"""
