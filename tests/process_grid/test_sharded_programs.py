"""Programs that JAX prints for GSPMD and Shardy, on the grid: split inputs, joined results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import InputError, RunError
from hloscope.engine.frontend import load
from hloscope.engine.ops.core.exchanges import Box
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch, results_on_grid
from hloscope.engine.program import BoundFunction, BoundProgram
from hloscope.engine.sharded_runs.sharded_inputs import Boundary, is_partitioned, needed_grid
from hloscope.engine.sharded_runs.shown_shardings import Outline, ShownShardings
from hloscope.engine.source import Source

Array = np.ndarray[Any, Any]
X = np.arange(32, dtype=np.float32).reshape(4, 8)


def loaded(text: str) -> tuple[BoundProgram, BoundFunction]:
    found = load(Source(text))
    assert not found.diagnostics, [diagnostic.message for diagnostic in found.diagnostics]
    assert found.program is not None
    assert found.program.entry is not None
    return found.program, found.program.entry


def run(text: str, *inputs: Array, grid: Grid | None = None) -> list[tuple[Array, ...]]:
    program, entry = loaded(text)
    grid = grid or needed_grid(program, entry)
    return results_on_grid(program, Launch(grid, Boundary(program, entry, grid).cut_all(inputs)))


# GSPMD

SHARD_MAP = """module @jit_f attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>) -> tensor<2x8xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4x8xf32>) -> tensor<2x8xf32>
    %2 = call @body(%1) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{replicated}"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    return %4 : tensor<2x8xf32>
  }
  func.func private @body(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}
"""
NESTED = """module @jit_h attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}) -> tensor<4x8xf32> {
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x8xf32>) -> tensor<2x8xf32>
    %2 = stablehlo.custom_call @Sharding(%1) {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{manual}"} : (tensor<2x8xf32>) -> tensor<2x4xf32>
    %i = stablehlo.partition_id : tensor<ui32>
    %f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>
    %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %4 = stablehlo.add %3, %b : tensor<2x4xf32>
    %5 = stablehlo.custom_call @Sharding(%4) {mhlo.sharding = "{manual}"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}"} : (tensor<2x4xf32>) -> tensor<2x8xf32>
    %7 = stablehlo.custom_call @SPMDShardToFullShape(%6) {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<2x8xf32>) -> tensor<4x8xf32>
    return %7 : tensor<4x8xf32>
  }
}
"""
IN_HLO = """HloModule jit_g, entry_computation_layout={(f32[5]{0})->f32[5]{0}}

ENTRY main {
  a = f32[5]{0} parameter(0)
  b = f32[5]{0} custom-call(a), custom_call_target="Sharding", sharding={devices=[4]<=[4]}
  c = f32[2]{0} custom-call(b), custom_call_target="SPMDFullToShardShape", sharding={manual}
  d = f32[2]{0} negate(c)
  e = f32[2]{0} custom-call(d), custom_call_target="Sharding", sharding={manual}
  ROOT f = f32[5]{0} custom-call(e), custom_call_target="SPMDShardToFullShape", sharding={devices=[4]<=[4]}
}
"""


def test_shard_map_of_gspmd() -> None:
    for (result,) in run(SHARD_MAP, X):
        np.testing.assert_array_equal(result, X[:2] + X[2:])


def test_manual_subgroups() -> None:
    wanted = X + np.kron(np.array([[0, 1], [2, 3]]), np.ones((2, 4)))
    for (result,) in run(NESTED, X):
        np.testing.assert_array_equal(result, wanted)


def test_axes_that_are_not_manual_stay_whole() -> None:
    both = NESTED.replace("[2,1,2]<=[4] last_tile_dim_replicate", "[2,2]<=[4]")
    assert both != NESTED
    wanted = X + np.kron(np.array([[0, 1], [2, 3]]), np.ones((2, 4)))
    for (result,) in run(both, X):
        np.testing.assert_array_equal(result, wanted)


def test_parts_of_other_sizes_stop_the_run() -> None:
    text = SHARD_MAP.replace("devices=[2,1,2]<=[4] last_tile_dim_replicate", "devices=[1,4]<=[4]")
    with pytest.raises(
        RunError, match=r"dimension 1 in 4 parts: its parts have sizes \[4, 2\], not tensor<2x8xf32>"
    ):
        run(text, X)


def test_uneven_parts_are_padded_and_the_padding_dropped() -> None:
    program, entry = loaded(IN_HLO)
    assert needed_grid(program, entry) == Grid(1, 4)
    whole = np.arange(5, dtype=np.float32)
    for (result,) in run(IN_HLO, whole):
        np.testing.assert_array_equal(result, -whole)


IN_SHARDY_HLO = """
HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}

ENTRY main {
  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\\"x\\"}]>"}
  ROOT y = f32[4] negate(x)
}
"""


def test_shardings_of_arguments_tell_the_number_of_processes() -> None:
    """JAX's HLO text states no `num_partitions`."""
    program, entry = loaded(IN_SHARDY_HLO)
    assert needed_grid(program, entry) == Grid(1, 2)
    replicated, entry = loaded(
        IN_SHARDY_HLO.replace("devices=[2]<=[2]", "replicated").replace('{\\"x\\"}', "{}")
    )
    assert needed_grid(replicated, entry) == Grid(1, 2)
    stated, entry = loaded(IN_SHARDY_HLO.replace("HloModule m", "HloModule m, num_partitions=4"))
    assert needed_grid(stated, entry) == Grid(1, 4)


def test_other_grids_are_refused() -> None:
    with pytest.raises(RunError, match=r"the sharding has 4 devices, but this run has one process") as caught:
        run(SHARD_MAP, X, grid=Grid())
    assert caught.value.hint == "run it with --replicas 1 --partitions 4"


def test_a_cut_of_which_nothing_is_said() -> None:
    text = SHARD_MAP.replace('{mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}', "")
    with pytest.raises(RunError, match=r"goes between \[4, 8\] and \[2, 8\], but no sharding says how"):
        run(text, X)


# Programs that XLA prints for Shardy

SHARDY_IN_HLO = r"""HloModule jit_h, entry_computation_layout={(f32[4,8]{1,0})->f32[4,8]{1,0}}, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=2]>}}

body.1 {
  p = f32[2,4]{1,0} parameter(0)
  ROOT g = f32[2,8]{1,0} all-gather(p), channel_id=1, replica_groups={{0,1},{2,3}}, dimensions={1}, use_global_device_ids=true
}

body.2 {
  p = f32[2,8]{1,0} parameter(0)
  i = f32[2,4]{1,0} custom-call(p), custom_call_target="xla.sdy.GlobalToLocalShape", frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{?}, {\"y\", ?}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"y\"}>"}
  c = f32[2,8]{1,0} call(i), to_apply=body.1
  ROOT o = f32[2,8]{1,0} custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"y\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{?}, {?}]>]>"}
}

ENTRY main {
  a = f32[4,8]{1,0} parameter(0)
  i = f32[2,8]{1,0} custom-call(a), custom_call_target="xla.sdy.GlobalToLocalShape", frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\", ?}, {?}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"}
  c = f32[2,8]{1,0} call(i), to_apply=body.2
  ROOT o = f32[4,8]{1,0} custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\", ?}, {?}]>]>"}
}
"""
NAMED_IN_HLO = r"""HloModule jit_f, entry_computation_layout={(f32[4,6]{1,0}, f32[4]{0})->(f32[4,6]{1,0}, f32[4]{0})}, num_partitions=4

body {
  p = f32[2,3]{1,0} parameter(0)
  v = f32[2]{0} parameter(1)
  r = f32[2,3]{1,0} collective-permute(p), channel_id=1, source_target_pairs={{0,2},{2,0},{1,3},{3,1}}
  ROOT t = (f32[2,3]{1,0}, f32[2]{0}) tuple(r, v)
}

ENTRY main {
  x = f32[4,6]{1,0} parameter(0)
  v = f32[4]{0} parameter(1), sharding={mesh['a'=2,'b'=2], [{'a'}]}
  s = f32[4,6]{1,0} custom-call(x), custom_call_target="Sharding", sharding={mesh['a'=2,'b'=2], [{'a'}, {'b'}]}
  i = (f32[2,3]{1,0}, f32[2]{0}) custom-call(s, v), custom_call_target="xla.sdy.GlobalToLocalShape", sharding={{mesh['a'=2,'b'=2], manual}, {mesh['a'=2,'b'=2], manual}}
  c = (f32[2,3]{1,0}, f32[2]{0}) call(i#0, i#1), to_apply=body, sharding={{mesh['a'=2,'b'=2], manual}, {mesh['a'=2,'b'=2], manual}}
  ROOT o = (f32[4,6]{1,0}, f32[4]{0}) custom-call(c#0, c#1), custom_call_target="xla.sdy.LocalToGlobalShape", sharding={{mesh['a'=2,'b'=2], [{'a'}, {'b'}]}, {mesh['a'=2,'b'=2], [{'a'}]}}
}
"""
EXPORTED = r"""module @jit_f attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<2xf32>) {
    stablehlo.custom_call @xla.sdy.ShardingGroup(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "0 : i64"}} : (tensor<4x8xf32>) -> ()
    %b = stablehlo.custom_call @xla.sdy.PropagationBarrier(%arg0) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = "1 : i32"}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %0:2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%b, %arg1) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{}, {\22x\22}]>, <@mesh, [{\22x\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<2xf32>)
    %1 = stablehlo.negate %0#0 : tensor<4x4xf32>
    %2:2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1, %0#1) {mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{}, {\22x\22}]>, <@mesh, [{}]>]>"}} : (tensor<4x4xf32>, tensor<2xf32>) -> (tensor<4x8xf32>, tensor<2xf32>)
    return %2#0, %2#1 : tensor<4x8xf32>, tensor<2xf32>
  }
}
"""


def test_shardy_in_hlo_text() -> None:
    for (result,) in run(SHARDY_IN_HLO, X):
        np.testing.assert_array_equal(result, X)


def test_shardy_in_hlo_text_of_newer_versions() -> None:
    matrix, vector = np.arange(24, dtype=np.float32).reshape(4, 6), np.arange(4, dtype=np.float32)
    for (results,) in run(NAMED_IN_HLO, matrix, vector):
        np.testing.assert_array_equal(results[0], np.roll(matrix, 2, axis=0))
        np.testing.assert_array_equal(results[1], vector)


def test_a_manual_computation_of_a_sharding_without_a_mesh_is_refused() -> None:
    text = NAMED_IN_HLO.replace(
        "sharding={mesh['a'=2,'b'=2], [{'a'}, {'b'}]}\n  i", "sharding={devices=[2,2]<=[4]}\n  i"
    )
    with pytest.raises(RunError, match=r"the sharding \{devices=\[2,2\]<=\[4\]\} names no mesh"):
        run(text, np.zeros((4, 6), np.float32), np.zeros(4, np.float32))


def test_shardy_in_exported_programs() -> None:
    vector = np.arange(4, dtype=np.float32)
    program, entry = loaded(EXPORTED)
    results = run(EXPORTED, X, vector)
    assert len(results) == 2
    for device, (result, own) in enumerate(results):
        np.testing.assert_array_equal(result, -X)
        np.testing.assert_array_equal(own, vector[2 * device : 2 * device + 2])
    # The first result is replicated; the second differs per process.
    whole, different = Boundary(program, entry, Grid(1, 2)).join(results)
    np.testing.assert_array_equal(whole, -X)
    assert different is None


def test_shardings_that_make_no_sense_stop_the_run() -> None:
    with pytest.raises(RunError, match=r"^@xla\.sdy\.GlobalToLocalShape: there is no mesh @other"):
        run(
            EXPORTED.replace("[<@mesh, [{}, {", "[<@other, [{}, {"),
            X,
            np.zeros(4, np.float32),
            grid=Grid(1, 2),
        )


# Partitioned programs

PARTITIONED = """HloModule jit_f, entry_computation_layout={(f32[2,8]{1,0}, f32[4]{0}, f32[])->f32[2,8]{1,0}}, num_partitions=4

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY main_spmd {
  a = f32[2,8]{1,0} parameter(0), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  b = f32[4]{0} parameter(1), sharding={devices=[2,2]<=[4] last_tile_dim_replicate}
  c = f32[] parameter(2)
  r = f32[4]{0} all-reduce(b), channel_id=1, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, to_apply=add
  ROOT d = f32[2,8]{1,0} negate(a), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}
}
"""


def test_inputs_of_partitioned_programs_are_cut() -> None:
    program, entry = loaded(PARTITIONED)
    grid = needed_grid(program, entry)
    assert grid == Grid(1, 4)
    assert is_partitioned(program, entry)
    assert list(map(str, Boundary(program, entry, grid).whole_types)) == [
        "tensor<4x8xf32>",
        "tensor<8xf32>",
        "tensor<f32>",
    ]
    assert list(map(str, Boundary(program, entry, grid).whole_result_types)) == ["tensor<4x8xf32>"]
    parts = Boundary(program, entry, grid).cut(0, X)
    for device, part in enumerate(parts):
        np.testing.assert_array_equal(part, X[device % 2 * 2 :][:2])
    one = Boundary(program, entry, grid).cut(0, X[:2])
    assert all(part is one[0] for part in one)
    with pytest.raises(
        InputError,
        match=r"argument 0 \(%a\) is a part of type .*, but \[6, 8\] is not the shape of the whole",
    ):
        Boundary(program, entry, grid).cut(0, np.zeros((6, 8), np.float32))


def test_results_of_partitioned_programs_are_put_together() -> None:
    program, entry = loaded(PARTITIONED)
    results = run(PARTITIONED, X, np.zeros(8, np.float32), np.ones((), np.float32))
    (whole,) = Boundary(program, entry, Grid(1, 4)).join(results)
    np.testing.assert_array_equal(whole, -X)


def test_inputs_are_not_cut_for_another_grid() -> None:
    program, entry = loaded(PARTITIONED)
    assert [str(found) for found in Boundary(program, entry, Grid(1, 3)).whole_types][:1] == [
        "tensor<2x8xf32>"
    ]


def test_collectives_without_manual_computations_work_on_parts() -> None:
    text = (
        'func.func @main(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> '
        '(tensor<4xf32> {mhlo.sharding = "{replicated}"}) {\n'
        '  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : '
        "tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
    )
    text = f'sdy.mesh @mesh = <["x"=2]>\n{text}'
    program, entry = loaded(text)
    assert is_partitioned(program, entry)
    whole = np.arange(4, dtype=np.float32)
    results = run(text, whole, grid=Grid(2, 1))
    (joined,) = Boundary(program, entry, Grid(2, 1)).join(results)
    np.testing.assert_array_equal(joined, whole)


def test_whole_programs_are_not_partitioned() -> None:
    for text in (SHARD_MAP, NESTED, IN_HLO, SHARDY_IN_HLO, EXPORTED):
        program, entry = loaded(text)
        assert not is_partitioned(program, entry)
        assert Boundary(program, entry, Grid(1, 4)).whole_types == tuple(
            v.type for v in entry.function.arguments
        )


# Shown shards

MANUAL = """sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<4x8xf32> {
  %c = sdy.sharding_constraint %a <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
  %r = sdy.manual_computation(%c) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<2x8xf32>) {
    %s = stablehlo.negate %p : tensor<2x8xf32>
    sdy.return %s : tensor<2x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
"""


def shown(text: str) -> tuple[BoundProgram, ShownShardings]:
    program, entry = loaded(text)
    return program, ShownShardings(program, entry)


def number(program: BoundProgram, name: str) -> int:
    return next(at for at, value in enumerate(program.values) if value.name == name)


def test_whole_values_are_outlined() -> None:
    program, shardings = shown(MANUAL)
    found = shardings.of(number(program, "%a"))
    assert found is not None
    assert not found.is_part
    assert found.describe() == "dimension 0 in 2 parts, 2 copies of each"
    pieces = found.outlines((4, 8), Grid(1, 4), 1)
    assert pieces == (Outline(Box((0, 0), (2, 8)), (0, 2)), Outline(Box((2, 0), (2, 8)), (1, 3)))
    assert found.outlines((4, 8), Grid(1, 3)) == ()
    constraint = shardings.of(number(program, "%c"))
    assert constraint is not None
    assert constraint.outlines((4, 8), Grid(1, 4))[0] == Outline(Box((0, 0), (4, 4)), (0, 1))


def test_parts_are_put_together_for_the_picture() -> None:
    program, shardings = shown(MANUAL)
    for name in ("%p", "%s"):
        found = shardings.of(number(program, name))
        assert found is not None
        assert found.is_part
        assert found.whole_shape((2, 8)) == (4, 8)
        pieces = found.outlines((2, 8), Grid(1, 4), 3)
        assert pieces == (Outline(Box((0, 0), (2, 8)), (1,)), Outline(Box((2, 0), (2, 8)), (3,)))
    assert found is not None
    parts = {process: np.full((2, 8), process) for process in range(4)}
    whole = found.assemble(parts, Grid(1, 4), 3)
    assert whole is not None
    assert whole[:, 0].tolist() == [1, 1, 3, 3]
    assert found.assemble({1: parts[1]}, Grid(1, 4), 3) is None
    result = shardings.of(number(program, "%r"))
    assert result is not None
    assert not result.is_part


def test_shards_of_custom_calls_are_shown() -> None:
    program, shardings = shown(SHARD_MAP)
    places = {name: shardings.of(number(program, name)) for name in ("%0", "%1", "%3", "%4")}
    assert {name: found and found.is_part for name, found in places.items()} == {
        "%0": False, "%1": True, "%3": True, "%4": False,
    }  # fmt: skip
    program, shardings = shown(SHARDY_IN_HLO)
    found = shardings.of(number(program, "%i"))
    assert found is not None
    assert found.is_part


def test_arguments_of_partitioned_programs_are_parts() -> None:
    program, shardings = shown(PARTITIONED)
    found = shardings.of(number(program, "%a"))
    assert found is not None
    assert found.is_part
    assert [piece.processes for piece in found.outlines((2, 8), Grid(1, 4), 0)] == [(0,), (1,)]
    assert shardings.of(number(program, "%c")) is None
    assert set(shardings.all) == {number(program, name) for name in ("%a", "%b", "%d")}
