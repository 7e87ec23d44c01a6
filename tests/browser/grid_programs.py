"""Programs for several processes that the browser tests run."""

from __future__ import annotations

REDUCTION = """({{
  ^bb0(%one_of: tensor<f32>, %other: tensor<f32>):
    %both = stablehlo.add %one_of, %other : tensor<f32>
    stablehlo.return %both : tensor<f32>
  }}) : ({type}) -> {type}"""


def all_reduce(result: str, operand: str, groups: list[list[int]], channel: int, type: str) -> str:
    """An all_reduce that adds, over groups of processes."""
    shape = f"tensor<{len(groups)}x{len(groups[0])}xi64>"
    return f"""  {result} = "stablehlo.all_reduce"({operand}) <{{
    replica_groups = dense<{groups}> : {shape},
    channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 1>, use_global_device_ids
  }}> {REDUCTION.format(type=type)}
"""


LATE = f"""module attributes {{mhlo.num_partitions = 4 : i32}} {{
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {{
  %id = stablehlo.partition_id : tensor<ui32>
  %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<ui32>
  %late = stablehlo.compare EQ, %id, %one : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %weight = "stablehlo.if"(%late) ({{
    %a = stablehlo.constant dense<2.0> : tensor<f32>
    %b = stablehlo.add %a, %a : tensor<f32>
    %c = stablehlo.multiply %b, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }}, {{
    stablehlo.return %number : tensor<f32>
  }}) : (tensor<i1>) -> tensor<f32>
  %wide = stablehlo.broadcast_in_dim %weight, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
  %mine = stablehlo.add %x, %wide : tensor<4x6xf32>
{all_reduce("%pairs", "%mine", [[0, 1], [2, 3]], 1, "tensor<4x6xf32>")}
{all_reduce("%all", "%pairs", [[0, 1, 2, 3]], 2, "tensor<4x6xf32>")}
  func.return %all : tensor<4x6xf32>
}}
}}
"""
"""Process (0, 1) makes two steps more before all meet: twos, then everybody. Line 9 is run by it alone."""

ONLY_THE_LATE = 9
PAIRS, ALL = 17, 26

MANUAL = f"""module attributes {{mhlo.num_partitions = 8 : i32}} {{
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>) -> tensor<8x8xf32> {{
  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{{"x"}}, {{"y"}}]>, <@mesh, [{{"y"}}, {{}}]>] out_shardings=[<@mesh, [{{"x"}}, {{}}]>] manual_axes={{"x", "y"}} (%l: tensor<4x4xf32>, %r: tensor<4x8xf32>) {{
    %g = "stablehlo.all_gather"(%r) <{{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}> : (tensor<4x8xf32>) -> tensor<16x8xf32>
    %p = stablehlo.dot_general %l, %r, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
{all_reduce("%s", "%p", [[0, 1, 2, 3], [4, 5, 6, 7]], 1, "tensor<4x8xf32>")}
    sdy.return %s : tensor<4x8xf32>
  }} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}}
}}
"""
"""A product of matrices by hand on a mesh of 2 x 4."""


def _permute(result: str, operand: str, channel: int) -> str:
    pairs = "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>"
    handle = f"channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 1>"
    types = "(tensor<4xf32>) -> tensor<4xf32>"
    return f'    {result} = "stablehlo.collective_permute"({operand}) <{{{pairs}, {handle}}}> : {types}\n'


DEADLOCK = f"""module attributes {{mhlo.num_partitions = 2 : i32}} {{
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %id = stablehlo.partition_id : tensor<ui32>
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %first = stablehlo.compare EQ, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %0 = "stablehlo.if"(%first) ({{
{_permute("%a", "%x", 1)}{_permute("%b", "%a", 2)}    stablehlo.return %b : tensor<4xf32>
  }}, {{
{_permute("%a", "%x", 2)}{_permute("%b", "%a", 1)}    stablehlo.return %b : tensor<4xf32>
  }}) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
}}
"""
"""Both exchange twice, over two channels, but in another order: line 7 and line 11."""


def many(processes: int, rounds: int) -> str:
    """Values go around a ring, then groups of 16 add theirs."""
    ring = [[process, (process + 1) % processes] for process in range(processes)]
    lines = [
        f"module attributes {{mhlo.num_partitions = {processes} : i32}} {{",
        "func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {",
        "  %id = stablehlo.partition_id : tensor<ui32>",
        "  %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>",
        "  %wide = stablehlo.broadcast_in_dim %number, dims = [] : (tensor<f32>) -> tensor<8x8xf32>",
        "  %s0 = stablehlo.add %x, %wide : tensor<8x8xf32>",
    ]
    for at in range(rounds):
        lines += [
            f"  %y{at} = stablehlo.{'sine' if at % 2 else 'cosine'} %s{at} : tensor<8x8xf32>",
            f"  %z{at} = stablehlo.add %y{at}, %s0 : tensor<8x8xf32>",
            f'  %s{at + 1} = "stablehlo.collective_permute"(%z{at}) <{{source_target_pairs = dense<{ring}> : '
            f"tensor<{processes}x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}}> : "
            "(tensor<8x8xf32>) -> tensor<8x8xf32>",
        ]
    groups = [list(range(first, first + 16)) for first in range(0, processes, 16)]
    lines += [
        all_reduce("%sum", f"%s{rounds}", groups, 1, "tensor<8x8xf32>"),
        "  func.return %sum : tensor<8x8xf32>",
    ]
    return "\n".join([*lines, "}", "}", ""])
