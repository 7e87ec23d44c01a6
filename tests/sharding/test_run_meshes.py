"""Meshes on the process grid of a run, and the axes that groups of processes span."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.sharded_runs.run_meshes import RunMesh, run_meshes
from hloscope.engine.sharding.notation.device_meshes import axis_groups
from tests.programs import load_program

NAMED = """sdy.mesh @mesh = <["x"=2, "one"=1, "y"=4]>
sdy.mesh @turned = <["x"=2, "y"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>
sdy.mesh @row = <["z"=8]>
sdy.mesh @other = <["x"=3]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
"""
LISTS = """HloModule m, num_partitions=8
ENTRY e {
  %p = f32[8,8]{1,0} parameter(0), sharding={devices=[2,4]<=[8]}
  %q = f32[8,8]{1,0} negate(%p), sharding={devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}
  %r = f32[8,8]{1,0} negate(%q), sharding={mesh['a'=4,'b'=2], [{'a'}, {'b'}]}
  ROOT %s = f32[8,8]{1,0} negate(%r), sharding={replicated}
}
"""


def _meshes(text: str, grid: Grid) -> tuple[RunMesh, ...]:
    return run_meshes(load_program(text, "p.hlo" if text.startswith("Hlo") else "p.mlir"), grid)


def test_named_meshes_with_as_many_devices_as_processes() -> None:
    mesh, turned, row = _meshes(NAMED, Grid(1, 8))
    assert (mesh.name, mesh.axes, mesh.processes) == ("@mesh", (("x", 2), ("y", 4)), tuple(range(8)))
    assert (turned.name, turned.processes) == ("@turned", (0, 2, 4, 6, 1, 3, 5, 7))
    assert (row.name, row.axes) == ("@row", (("z", 8),))
    assert _meshes(NAMED, Grid(1, 4)) == ()


def test_each_replica_has_the_mesh() -> None:
    mesh, turned, _ = _meshes(NAMED, Grid(2, 8))
    assert (mesh.axes, mesh.processes) == ((("replica", 2), ("x", 2), ("y", 4)), tuple(range(16)))
    assert turned.processes[8:] == (8, 10, 12, 14, 9, 11, 13, 15)


def test_shardings_of_hlo_state_meshes() -> None:
    tiles, machine, named = _meshes(LISTS, Grid(1, 8))
    assert (tiles.name, tiles.axes) == ("{devices=[2,4]<=[8]}", (("dimension 0", 2), ("dimension 1", 4)))
    assert machine.axes == (("axis 0", 2), ("axis 1", 4))
    assert named.axes == (("a", 4), ("b", 2))


MESH = RunMesh("@mesh", (("x", 2), ("y", 4)), tuple(range(8)))
TURNED = RunMesh("@turned", (("x", 2), ("y", 4)), (0, 2, 4, 6, 1, 3, 5, 7))


@pytest.mark.parametrize(
    ("groups", "mesh_axes", "turned_axes"),
    [
        ([[0, 1, 2, 3], [4, 5, 6, 7]], ("y",), ("x", "y:(2)2")),
        ([[0, 4], [1, 5], [2, 6], [3, 7]], ("x",), ("y:(1)2",)),
        ([[0, 1], [2, 3], [4, 5], [6, 7]], ("y:(2)2",), ("x",)),
        ([[0, 2, 4, 6], [1, 3, 5, 7]], ("x", "y:(1)2"), ("y",)),
        ([[7, 6, 5, 4, 3, 2, 1, 0]], ("x", "y"), ("x", "y")),
        ([[0], [1], [2], [3], [4], [5], [6], [7]], (), ()),
        ([[0, 3], [1, 2], [4, 7], [5, 6]], None, None),
        ([[0, 1, 2, 3]], None, None),
        ([[0, 9]], None, None),
        ([], None, None),
    ],
)
def test_the_axes_of_groups(
    groups: list[list[int]], mesh_axes: tuple[str, ...] | None, turned_axes: tuple[str, ...] | None
) -> None:
    assert (MESH.axes_of(groups), TURNED.axes_of(groups)) == (mesh_axes, turned_axes)


@given(st.lists(st.integers(2, 4), min_size=1, max_size=4), st.data())
def test_groups_along_some_axes_span_these(sizes: list[int], data: st.DataObject) -> None:
    axes = tuple((f"a{at}", size) for at, size in enumerate(sizes))
    order = data.draw(st.permutations(range(int(np.prod(sizes)))))
    wanted = data.draw(
        st.sampled_from([c for n in range(len(axes) + 1) for c in combinations(dict(axes), n)])
    )
    parts = [(name, 1, dict(axes)[name]) for name in wanted]
    groups = axis_groups(dict(axes), parts, np.array(order)).tolist()
    shuffled = [data.draw(st.permutations(group)) for group in data.draw(st.permutations(groups))]
    assert RunMesh("@mesh", axes, tuple(order)).axes_of(shuffled) == wanted
