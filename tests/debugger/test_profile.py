"""The profile of a run: programs counted by hand, times that add up to the run, and the bars of the flame chart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hloscope
from hloscope.engine.debugger.flame import Bar, flame_of
from hloscope.engine.debugger.profile import GROUPINGS, By, ProfileRow, RunProfile
from hloscope.engine.debugger.track import NONE
from hloscope.engine.ops.core.op import Array

PRODUCT = """func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = func.call @double(%0) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = func.call @double(%1) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %4 : tensor<2xf32>
}
func.func @double(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
"""
LOOP = """func.func @main(%n: tensor<i32>, %x: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.multiply %v, %v : tensor<4xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
    }
  return %0#0, %0#1 : tensor<i32>, tensor<4xf32>
}
"""
FUSED = """HloModule fused
scaled {
  %p = f32[8]{0} parameter(0)
  %q = f32[8]{0} parameter(1)
  %m = f32[8]{0} multiply(%p, %q)
  ROOT %t = f32[8]{0} tanh(%m)
}
ENTRY main {
  %a = f32[8]{0} parameter(0)
  %b = f32[8]{0} parameter(1)
  ROOT %f = f32[8]{0} fusion(%a, %b), kind=kLoop, calls=scaled
}
"""
FAILS = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  %1 = call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %1 = stablehlo.custom_call @unknown(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
COUNTER = """func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j : tensor<i32>
    }
  return %0 : tensor<i32>
}
"""
SUMMED = """module attributes {mhlo.num_partitions = 2 : i32} {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
}
"""
SCOPED = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32> loc("jit(f)/layer/first/neg")
  %1 = stablehlo.tanh %0 : tensor<2xf32> loc("jit(f)/layer/first/tanh")
  %2 = stablehlo.abs %1 : tensor<2xf32> loc("jit(f)/layer/second/abs")
  return %2 : tensor<2xf32>
}
"""


def _recorded(text: str, *inputs: Array | int) -> hloscope.Recording:
    return hloscope.record(text, list(inputs))


def _products() -> hloscope.Recording:
    return _recorded(PRODUCT, np.ones((2, 3), np.float32), np.ones((3, 4), np.float32))


def _facts(rows: Sequence[ProfileRow]) -> dict[str, tuple[int, int, int, int]]:
    return {row.title: (row.count, row.read, row.written, row.flops) for row in rows}


def test_executions_bytes_and_operations_of_each_op() -> None:
    profile = RunProfile(_products())
    assert _facts(profile.rows) == {
        "constant %zero": (1, 0, 0, 0),
        "dot_general %0": (1, 24 + 48, 32, 2 * 8 * 3),
        "call %1": (1, 0, 0, 0),
        "call %2": (1, 0, 0, 0),
        "transpose %3": (1, 32, 32, 0),
        "reduce %4": (1, 32 + 4, 8, 8),
        "return": (2, 0, 0, 0),
        "add %0": (2, 2 * 64, 2 * 32, 2 * 8),
    }
    dot = next(row for row in profile.rows if row.title == "dot_general %0")
    assert dot.intensity == 48 / 104
    assert dot.live == 24 + 48 + 32


def test_operations_on_integers_are_no_floating_point_operations() -> None:
    rows = _facts(RunProfile(_recorded(LOOP, 3, np.ones(4, np.float32))).rows)
    assert rows["add %j"] == (3, 3 * 8, 3 * 4, 0)
    assert rows["compare %p"] == (4, 4 * 8, 4 * 1, 0)
    assert rows["multiply %w"] == (3, 3 * 32, 3 * 16, 3 * 4)


def test_a_fusion_is_one_op_with_the_operations_of_its_body() -> None:
    rows = _facts(RunProfile(_recorded(FUSED, np.ones(8, np.float32), np.ones(8, np.float32))).rows)
    assert rows == {"fusion %f": (1, 64, 32, 16), "return": (1, 0, 0, 0)}


COPIES = """HloModule copies

ENTRY %main (x: f32[4,4]) -> f32[4,4] {
  %x = f32[4,4] parameter(0)
  %turned = f32[4,4]{0,1} copy(%x)
  %start = (f32[4,4]{1,0}, f32[4,4]{0,1}, u32[]) copy-start(%turned)
  ROOT %done = f32[4,4]{1,0} copy-done(%start)
}
"""


def test_a_copy_reads_and_writes_its_operand_although_the_engine_does_not() -> None:
    rows = _facts(RunProfile(_recorded(COPIES, np.ones((4, 4), np.float32))).rows)
    assert rows == {
        "copy %turned": (1, 64, 64, 0),
        "copy-start %start": (1, 64, 64, 0),
        "copy-done %done": (1, 0, 0, 0),
        "return": (1, 0, 0, 0),
    }


def test_an_op_that_failed_has_written_nothing() -> None:
    rows = _facts(RunProfile(_recorded(FAILS, np.ones(4, np.float32))).rows)
    assert rows == {"add %0": (1, 32, 16, 4), "call %1": (1, 0, 0, 0), "custom_call %1": (1, 16, 0, 0)}


CHECKED = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  sdy.sharding_group %x group_id=1 : tensor<4xf32>
  check.expect_eq_const %x, dense<1.0> : tensor<4xf32>
  return %x : tensor<4xf32>
}
"""


def test_an_op_without_results_reads_its_operands() -> None:
    rows = _facts(RunProfile(_recorded(CHECKED, np.ones(4, np.float32))).rows)
    assert rows == {
        "sdy.sharding_group": (1, 0, 0, 0),
        "check.expect_eq_const": (1, 16, 0, 0),
        "return": (1, 0, 0, 0),
    }


def test_processes_are_added_up_or_apart() -> None:
    recording = _recorded(SUMMED, np.ones(4, np.float32))
    assert _facts(RunProfile(recording).rows)["all_reduce %1"] == (2, 32, 32, 2 * 4 * 2)
    alone = [_facts(RunProfile(recording, [process]).rows) for process in (0, 1)]
    assert [facts["all_reduce %1"] for facts in alone] == [(1, 16, 16, 8)] * 2


def test_scopes_and_kinds_are_groups() -> None:
    profile = RunProfile(_recorded(SCOPED, np.ones(2, np.float32)))
    assert {row.title: row.count for row in profile.grouped("scope")} == {
        "jit(f)/layer/first": 2,
        "jit(f)/layer/second": 2,  # and the return, which has no name of its own
    }
    assert {row.title for row in profile.grouped("kind")} == {"negate", "tanh", "abs", "return"}
    assert {row.title for row in RunProfile(_products()).grouped("function")} == {"main", "double"}


@pytest.mark.parametrize("by", GROUPINGS)
def test_the_rows_of_every_grouping_add_up_to_the_run(by: By) -> None:
    for recording in (
        _products(),
        _recorded(LOOP, 5, np.ones(4, np.float32)),
        _recorded(SUMMED, np.ones(4, np.float32)),
        _recorded(SCOPED, np.ones(2, np.float32)),
    ):
        profile = RunProfile(recording)
        rows, total = profile.grouped(by), profile.total
        for name in ("count", "read", "written", "flops"):
            assert sum(getattr(row, name) for row in rows) == getattr(total, name), name
        assert sum(row.seconds for row in rows) == pytest.approx(total.seconds)
        assert total.seconds == pytest.approx(sum(sum(track.step_seconds) for track in recording.tracks))
        assert sorted(op for row in rows for op in row.ops) == sorted(total.ops)
        assert max(row.live for row in rows) == total.live


@pytest.mark.parametrize("by", GROUPINGS)
def test_totals_include_what_ops_run_and_count_a_step_once_for_a_group(by: By) -> None:
    for recording in (
        _products(),
        _recorded(LOOP, 5, np.ones(4, np.float32)),
        _recorded(SUMMED, np.ones(4, np.float32)),
        _recorded(SCOPED, np.ones(2, np.float32)),
    ):
        profile = RunProfile(recording)

        def group_of(op: int, found: RunProfile = profile) -> str:
            return str(op) if by == "op" else found.group_of(op, by)

        expected: dict[str, float] = {}
        for track in recording.tracks:
            for step, seconds in enumerate(track.step_seconds.tolist()):
                groups, at = set(), step
                while at != NONE:
                    groups.add(group_of(int(track.op_column[at])))
                    at = int(track.frame_opener[track.frame_column[at]])
                for group in groups:
                    expected[group] = expected.get(group, 0.0) + seconds
        rows = profile.grouped(by)
        totals = {group_of(row.ops[0]): row.total for row in rows}
        assert totals == pytest.approx({group: expected[group] for group in totals})
        assert all(row.total >= 0.999 * row.seconds for row in rows)


def test_a_loop_has_the_time_of_its_iterations() -> None:
    profile = RunProfile(_recorded(LOOP, 5, np.ones(4, np.float32)))
    rows = {row.title: row for row in profile.rows}
    inside = [row for title, row in rows.items() if title in ("compare %p", "add %j", "multiply %w")]
    assert rows["while %0#0"].total > sum(row.seconds for row in inside) > 0
    assert max(row.total for row in profile.rows) <= profile.total.total * 1.001


def test_every_step_has_a_duration_and_they_are_within_the_run() -> None:
    recording = _products()
    seconds = recording.tracks[0].step_seconds
    assert len(seconds) == recording.step_count
    assert (seconds > 0).all()


@given(st.integers(1, 40))
def test_the_steps_of_a_scalar_loop_share_the_time_of_all(count: int) -> None:
    recording = _recorded(COUNTER, count)
    track = recording.tracks[0]
    seconds = track.step_seconds
    assert len(seconds) == recording.step_count
    assert (seconds > 0).all()
    assert seconds.sum() == pytest.approx(sum(track.seconds))


def _bars(recording: hloscope.Recording, *, by_time: bool = False, columns: int = 1000) -> list[Bar]:
    return list(flame_of(recording, 0, 0, recording.step_count, columns, by_time=by_time).bars)


def test_a_flame_chart_has_functions_iterations_and_scopes_above_ops() -> None:
    bars = _bars(_recorded(LOOP, 2, np.ones(4, np.float32)))
    assert [(bar.title, bar.step, bar.stop) for bar in bars if bar.level == 0] == [("@main", 0, 16)]
    assert [bar.title for bar in bars if bar.level == 1] == [
        *("constant %zero", "constant %one", "while %0#0"),
        *("condition", "iteration 0", "condition", "iteration 1", "condition"),
        "return",
    ]
    assert [bar.title for bar in bars if bar.level == 2][:5] == [
        *("compare %p", "return", "add %j", "multiply %w", "return"),
    ]
    scoped = _bars(_recorded(SCOPED, np.ones(2, np.float32)))
    assert [bar.title for bar in scoped if bar.level == 1] == ["first", "second"]


@given(st.integers(1, 300), st.booleans(), st.integers(1, 60))
def test_bars_lie_within_the_bar_above_and_do_not_overlap(columns: int, by_time: bool, count: int) -> None:
    recording = _recorded(LOOP, count, np.ones(4, np.float32))
    bars = _bars(recording, by_time=by_time, columns=columns)
    levels = [[bar for bar in bars if bar.level == level] for level in range(3)]
    assert levels[0][0].left == 0
    assert levels[0][0].right == pytest.approx(1)
    for above, below in pairwise(levels):
        assert len(below) <= 2 * columns + 2
        for before, after in pairwise(below):
            assert before.stop <= after.step
            assert before.right <= after.left + 1e-12
        for bar in below:
            assert bar.step < bar.stop
            assert any(other.step <= bar.step and bar.stop <= other.stop for other in above) or bar.count > 1


def test_a_stretch_of_a_flame_chart_fills_the_width() -> None:
    recording = _recorded(LOOP, 4, np.ones(4, np.float32))
    flame = flame_of(recording, 0, 3, 8, 100, by_time=False)
    assert (flame.start, flame.stop) == (3, 8)
    assert {(bar.left, bar.right) for bar in flame.bars if bar.level == 0} == {(0.0, 1.0)}
    assert flame_of(recording, 0, 50, 99, 100, by_time=False).bars == ()
