"""Programs of several processes that the tests of server and command line share."""

SUM_OF_PAIRS = """\
module attributes {mhlo.num_replicas = 4 : i32} {
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %1 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}}
"""
"""Replicas 0 and 1, and 2 and 3, add what they have; the op stands on line 3."""

MANUAL = """\
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%w: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%w) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%part: tensor<2xf32>) {
      %1 = stablehlo.add %part, %part : tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
"""

PARTITIONED = """\
HloModule jit_f, num_partitions=4

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main_spmd (part: f32[2]) -> (f32[2], f32[2]) {
  %part = f32[2] parameter(0), sharding={devices=[4]<=[4]}
  %total = f32[2] all-reduce(%part), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=%add
  ROOT %both = (f32[2], f32[2]) tuple(%part, %total), sharding={{devices=[4]<=[4]}, {replicated}}
}
"""
"""The parts of a whole of 8 elements, and their sum; both results say how they are put together."""

FED = """\
func.func @main() -> tensor<2xi32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %1:3 = "stablehlo.infeed"(%0#1) : (!stablehlo.token) -> (tensor<2xi32>, tensor<f32>, !stablehlo.token)
  %2 = stablehlo.add %0#0, %1#0 : tensor<2xi32>
  %3 = "stablehlo.outfeed"(%2, %1#2) : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  return %2 : tensor<2xi32>
}
"""
"""Takes a vector, then a vector and a number, and gives the sum of both vectors."""

FROM_HOST = """\
func.func @main() -> tensor<2xi32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %1 = "stablehlo.send"(%0#0, %0#1) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 2>, is_host_transfer = true}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  return %0#0 : tensor<2xi32>
}
"""

ONE_NEVER_COMES = """\
module attributes {mhlo.num_replicas = 2 : i32} {
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %id = stablehlo.replica_id : tensor<ui32>
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %first = stablehlo.compare EQ, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %r = "stablehlo.if"(%first) ({
    %1 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}}
"""
"""Process (0, 0) waits on line 7 for process (1, 0), which ends."""

PASSED_ON = """
func.func private @giver() {
  %t = stablehlo.after_all : !stablehlo.token
  %x, %u = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>,
    is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %s = "stablehlo.send"(%x, %u) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>,
    is_host_transfer = true}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  return
}
func.func private @taker() -> tensor<2xi32> {
  %t = stablehlo.after_all : !stablehlo.token
  %x, %u = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>,
    is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  return %x : tensor<2xi32>
}
func.func @main() -> tensor<2xi32> {
  %r = "interpreter.run_parallel"() {programs = [[@giver], [@taker]]} : () -> tensor<2xi32>
  return %r : tensor<2xi32>
}
"""
"""One process passes on to another, over the host, what it has from the user."""
