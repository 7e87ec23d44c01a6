"""Collective ops of HLO text on grids: whole, packed into tuples, and started at one place and waited for at another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.ops.core.exchanges import Array
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.process_grid import Launch, results_on_grid
from tests.each import for_each
from tests.programs import load_program

from .running import f32

ADD = """
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y)
}
twice {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  d = f32[] add(x, x)
  ROOT z = f32[] add(d, y)
}
"""


def listed(value: Array) -> Any:
    """An array as lists, a tuple as a tuple of lists."""
    return tuple(map(listed, value)) if is_tuple(value) else value.tolist()


def on_replicas(entry: str, *inputs: Any) -> list[Any]:
    """What each replica gives, of as many as there are inputs; one without a name has one."""
    text = f"HloModule m, replica_count={len(inputs)}\n{ADD}\nENTRY e {{\n{entry}\n}}"
    given = tuple(tuple(found) if isinstance(found, tuple) else (found,) for found in inputs)
    found = results_on_grid(load_program(text), Launch(Grid(len(inputs)), given))
    return [listed(result) for (result,) in found]


@pytest.mark.parametrize("computation", ["add", "twice"])
def test_a_reduction_is_finished_by_its_done(computation: str) -> None:
    entry = f"""
      p = f32[2] parameter(0)
      s = f32[2] all-reduce-start(p), replica_groups={{{{0,1}}}}, to_apply={computation}
      n = f32[2] negate(p)
      d = f32[2] all-reduce-done(s)
      ROOT r = f32[2] add(d, n)"""
    sums = {"add": [4, 6], "twice": [5, 8]}[computation]
    found = on_replicas(entry, f32([1, 2]), f32([3, 4]))
    assert found == [[sums[0] - 1, sums[1] - 2], [sums[0] - 3, sums[1] - 4]]


def test_who_is_in_no_pair_goes_on() -> None:
    entry = """
      p = f32[1] parameter(0)
      c = (f32[1], f32[1]) collective-permute-start(p), source_target_pairs={{1,0}}
      ROOT d = f32[1] collective-permute-done(c)"""
    assert on_replicas(entry, *(f32([k]) for k in range(1, 4))) == [[2], [0], [0]]


def test_a_done_in_another_computation() -> None:
    entry = """
      p = f32[1] parameter(0)
      g = (f32[1], f32[2]) all-gather-start(p), replica_groups={{0,1}}, dimensions={0}
      i = s32[] constant(0)
      t = (s32[], (f32[1], f32[2])) tuple(i, g)
      w = (s32[], (f32[1], f32[2])) while(t), condition=once, body=same
      h = (f32[1], f32[2]) get-tuple-element(w), index=1
      ROOT d = f32[2] all-gather-done(h)"""
    loop = """
once {
  t = (s32[], (f32[1], f32[2])) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(2)
  ROOT l = pred[] compare(i, n), direction=LT
}
same {
  t = (s32[], (f32[1], f32[2])) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  o = s32[] constant(1)
  j = s32[] add(i, o)
  g = (f32[1], f32[2]) get-tuple-element(t), index=1
  ROOT r = (s32[], (f32[1], f32[2])) tuple(j, g)
}"""
    text = f"HloModule m, replica_count=2\n{loop}\nENTRY e {{\n{entry}\n}}"
    found = results_on_grid(load_program(text), Launch(Grid(2), ((f32([1]),), (f32([2]),))))
    assert [result.tolist() for (result,) in found] == [[1, 2]] * 2


def test_slices_in_two_parts() -> None:
    entry = """
      p = f32[3] parameter(0)
      q = f32[3] parameter(1)
      a = s32[] parameter(2)
      at = (s32[]) tuple(a)
      c = (f32[3], f32[3], u32[], u32[]) collective-permute-start(p, q, at, at),
        source_target_pairs={{0,1},{1,0}}, slice_sizes={{1}}
      ROOT d = f32[3] collective-permute-done(c)"""
    found = on_replicas(
        entry,
        *((f32([k, k + 1, k + 2]), f32([0, 0, 0]), np.array(k, np.int32)) for k in range(2)),
    )
    assert found == [[2, 0, 0], [0, 0, 0]]


ONE_AFTER_THE_OTHER = {
    "all-gather(p)": "ROOT r = f32[16] all-gather(p), {groups}, dimensions={{0}}",
    "all-gather-start(p)": """s = (f32[4], f32[16]) all-gather-start(p), {groups}, dimensions={{0}}
      ROOT r = f32[16] all-gather-done(s)""",
    "async all-gather(p)": """s = ((f32[4]), f32[16]) async-start(p), calls=gather
      ROOT r = f32[16] async-done(s)""",
    "reduce-scatter(p)": "ROOT r = f32[1] reduce-scatter(p), {groups}, dimensions={{0}}, to_apply=add",
    "reduce-scatter(p, p)": (
        "ROOT r = (f32[1], f32[1]) reduce-scatter(p, p), {groups}, dimensions={{0}}, to_apply=add"
    ),
    "all-reduce(p)": "ROOT r = f32[4] all-reduce(p), {groups}, to_apply=twice",
    "all-reduce-start(p)": """s = f32[4] all-reduce-start(p), {groups}, to_apply=twice
      ROOT r = f32[4] all-reduce-done(s)""",
    "collective-reduce(p)": "ROOT r = f32[4] collective-reduce(p), {groups}, to_apply=twice",
}


@for_each("row", ["0,1", "1,0"])
@for_each("name", ONE_AFTER_THE_OTHER)
def test_all_partitions_of_one_replica_come_first(name: str, row: str) -> None:
    """With a channel and no ids of devices; the same by ids of devices."""
    devices = {"0,1": "0,1,2,3", "1,0": "2,3,0,1"}[row]

    def results(groups: str) -> list[Any]:
        gather = f"p = f32[4] parameter(0)\n ROOT g = f32[16] all-gather(p), {groups}, dimensions={{0}}"
        entry = ONE_AFTER_THE_OTHER[name].format(groups=groups)
        text = (
            f"HloModule m\n{ADD}\ngather {{\n{gather}\n}}\nENTRY e {{\np = f32[4] parameter(0)\n{entry}\n}}"
        )
        given = tuple((f32([k, 10 * k, 0, 1 + k]),) for k in range(4))
        found = results_on_grid(load_program(text), Launch(Grid(2, 2), given))
        return [listed(result) for (result,) in found]

    found = results(f"channel_id=1, replica_groups={{{{{row}}}}}")
    by_devices = f"channel_id=1, replica_groups={{{{{devices}}}}}, use_global_device_ids=true"
    assert found == results(by_devices)
    if name == "all-gather(p)":
        assert found[0][::4] == [int(k) for k in devices.split(",")]


@pytest.mark.parametrize(
    "root",
    [
        "f32[2] all-to-all(p), replica_groups={{0,1}}, dimensions={0}",
        "(f32[2], f32[2]) all-to-all(p, p), replica_groups={{0,1}}",
        "(f32[1], f32[1]) reduce-scatter(p, p), replica_groups={{0,1}}, dimensions={0}, to_apply=add",
    ],
)
def test_a_process_of_no_group_is_named(root: str) -> None:
    """Where every process gets something of its group, one without a group has no result."""
    message = (
        r"no group with this process \(replica 2, partition 0\): every process of the run must be in one"
    )
    with pytest.raises(RunError, match=message):
        on_replicas(f"p = f32[2] parameter(0)\n ROOT r = {root}", *[f32([1, 2])] * 3)


@pytest.mark.parametrize(
    ("root", "wanted"),
    [
        ("collective-broadcast(p), replica_groups={{0,1}}", [[0, 0], [0, 0], [0, 0]]),
        ("collective-reduce(p), replica_groups={{1,2}}, to_apply=add", [[0, 0], [3, 3], [0, 0]]),
    ],
)
def test_a_process_of_no_group_gets_zeros(root: str, wanted: list[list[int]]) -> None:
    entry = f"p = f32[2] parameter(0)\n ROOT r = f32[2] {root}"
    assert on_replicas(entry, *(f32([k, k]) for k in range(3))) == wanted
