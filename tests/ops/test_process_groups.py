"""Process groups: the specification's examples of the four strategies, rows of ids, meshes."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hloscope
from hloscope.engine.errors import RunError
from hloscope.engine.frontend import load
from hloscope.engine.ir.attributes import Attribute, DenseAttribute
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops import op_table
from hloscope.engine.ops.collectives.collectives import AllGather
from hloscope.engine.ops.core.process_groups import (
    ALONE,
    Grid,
    IdTable,
    ProcessId,
    ReplicaGroups,
    Strategy,
    replicas_or_all,
    replicas_or_partitions,
)
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_module
from hloscope.engine.syntax.attributes.text_reader import TextReader

from .building import tensor

Groups = list[list[tuple[int, int]]]


def listed(groups: object) -> Groups:
    return [[tuple(process) for process in group] for group in groups]  # type: ignore[attr-defined]


@given(st.sampled_from(Strategy), st.integers(1, 4), st.integers(1, 4), st.randoms())
def test_groups_of_all_ids_hold_each_process_once(
    strategy: Strategy, replicas: int, partitions: int, random: object
) -> None:
    grid = Grid(replicas, partitions)
    ids = list(range(strategy.id_count(grid)))
    random.shuffle(ids)  # type: ignore[attr-defined]
    groups = strategy.groups([ids[:2], ids[2:]], grid)
    everybody = [ProcessId(r, p) for r in range(replicas) for p in range(partitions)]
    assert sorted(chain(*groups)) == everybody


def test_strategies_hang_on_the_channel() -> None:
    assert replicas_or_all(0, False) is Strategy.CROSS_REPLICA
    assert replicas_or_all(1, False) is Strategy.CROSS_REPLICA_AND_PARTITION
    assert replicas_or_all(1, True) is Strategy.FLATTENED_IDS
    assert replicas_or_all(0, False, replicas_first=True) is Strategy.CROSS_REPLICA
    assert replicas_or_all(1, False, replicas_first=True) is Strategy.REPLICA_BY_REPLICA
    assert replicas_or_all(1, True, replicas_first=True) is Strategy.FLATTENED_IDS
    assert replicas_or_partitions(0) is Strategy.CROSS_REPLICA
    assert replicas_or_partitions(1) is Strategy.CROSS_PARTITION


def test_padding_is_nobody() -> None:
    groups = ReplicaGroups.of([0, 1, 2], [3, -1, -1])
    assert groups.ids == (0, 1, 2, 3)
    assert listed(groups.on(Strategy.CROSS_REPLICA, Grid(4))) == [[(0, 0), (1, 0), (2, 0)], [(3, 0)]]


def test_no_ids_are_all_processes() -> None:
    for groups in (ReplicaGroups.of(), ReplicaGroups.of([-1])):
        assert listed(groups.on(Strategy.FLATTENED_IDS, Grid(1, 2))) == [[(0, 0), (0, 1)]]


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (
            Strategy.CROSS_REPLICA,
            "replica_groups names replica 1, but this run has one process (1 replica x 1 partition)",
        ),
        (
            Strategy.CROSS_PARTITION,
            "replica_groups names partition 1, but this run has one process (1 replica x 1 partition)",
        ),
        (
            Strategy.FLATTENED_IDS,
            "replica_groups names process 1, but this run has one process (1 replica x 1 partition)",
        ),
    ],
)
def test_ids_that_there_are_not_are_named(strategy: Strategy, message: str) -> None:
    with pytest.raises(RunError) as raised:
        IdTable.of([0, 1]).check("replica_groups", strategy, ALONE, "C4")
    assert (raised.value.message, raised.value.label) == (message, "C4")


def attribute(text: str) -> Attribute:
    return TextReader(Source(text), DEFAULT_LIMITS).attribute()


MESH = '#stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]{}>'
GROUPS = "#stablehlo.replica_group_mesh_axes<mesh = {}, axes = [{}]>"


def axis(name: str, part: str = "") -> str:
    info = f", sub_axis_info = {part}" if part else ""
    return f'#stablehlo.axis_ref<name = "{name}"{info}>'


@pytest.mark.parametrize(
    ("axes", "rows"),
    [
        ([axis("x")], [[0, 4], [1, 5], [2, 6], [3, 7]]),
        ([axis("y")], [[0, 1, 2, 3], [4, 5, 6, 7]]),
        ([axis("x"), axis("y")], [[0, 1, 2, 3, 4, 5, 6, 7]]),
        ([axis("y"), axis("x")], [[0, 4, 1, 5, 2, 6, 3, 7]]),
        ([axis("y", "(1)2")], [[0, 2], [1, 3], [4, 6], [5, 7]]),
        ([axis("y", "(2)2")], [[0, 1], [2, 3], [4, 5], [6, 7]]),
        ([axis("y", "(2)2"), axis("y", "(1)2")], [[0, 2, 1, 3], [4, 6, 5, 7]]),
        ([], [[0], [1], [2], [3], [4], [5], [6], [7]]),
    ],
)
def test_meshes_make_rows(axes: list[str], rows: list[list[int]]) -> None:
    found = ReplicaGroups.from_attribute(attribute(GROUPS.format(MESH.format(""), ", ".join(axes))))
    assert found == ReplicaGroups.of(*rows)


def test_a_mesh_may_name_its_devices() -> None:
    mesh = MESH.format(", device_ids = dense<[7, 6, 5, 4, 3, 2, 1, 0]> : tensor<8xi64>")
    found = ReplicaGroups.from_attribute(attribute(GROUPS.format(mesh, axis("x"))))
    assert found == ReplicaGroups.of([7, 3], [6, 2], [5, 1], [4, 0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GROUPS.format(MESH.format(""), axis("z")), "the mesh has no axis 'z'; it has x, y"),
        (GROUPS.format(MESH.format(""), axis("y", "(3)2")), r"\(3\)2 is not a part of axis 'y', of 4"),
        (GROUPS.format(MESH.format(""), f"{axis('y')}, {axis('y')}"), "parts of axis 'y' overlap"),
        (GROUPS.format("@mesh", axis("x")), "the mesh @mesh is not defined"),
        (
            GROUPS.format('#stablehlo.mesh<axes = [<name = "x", size = 99999999>]>', axis("x")),
            "the mesh has more than 65,536 ids",
        ),
        (
            GROUPS.format(MESH.format(", device_ids = dense<[0]> : tensor<1xi64>"), axis("x")),
            "device_ids must hold 8 ids",
        ),
    ],
)
def test_wrong_meshes_say_why(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ReplicaGroups.from_attribute(attribute(text))


NAMED = """sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
func.func @main(%a: tensor<8xf32>) -> tensor<16xf32> {{
  %0 = "stablehlo.all_gather"(%a) <{{all_gather_dim = 0 : i64, replica_groups = {groups}}}> : (tensor<8xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}}"""


def test_groups_may_name_a_mesh_of_the_module() -> None:
    loaded = load(Source(NAMED.format(groups=GROUPS.format("@mesh", axis("x")))))
    assert loaded.program is not None, loaded.diagnostics
    gather = loaded.program.ops[0].op
    assert isinstance(gather, AllGather)
    assert gather.replica_groups == ReplicaGroups.of([7, 3], [6, 2], [5, 1], [4, 0])
    assert loaded.module is not None
    assert "mesh = @mesh" in print_module(loaded.module, op_table())


@pytest.mark.parametrize(
    ("mesh", "name", "message"),
    [("@other", "x", "the mesh @other is not defined"), ("@mesh", "z", "the mesh has no axis 'z'")],
)
def test_groups_of_a_wrong_name_say_why(mesh: str, name: str, message: str) -> None:
    loaded = load(Source(NAMED.format(groups=GROUPS.format(mesh, axis(name)))))
    assert [message in found.message for found in loaded.diagnostics] == [True]


def test_rows_are_of_two_dimensions_and_64_bits() -> None:
    for text in ("2xi64", "1x2x1xi64", "1x2xi32"):
        found = tensor(text)
        stated = DenseAttribute(found, np.zeros(found.sizes, found.element_type.dtype))
        with pytest.raises(ValueError, match="expected rows of i64"):
            IdTable.from_attribute(stated)


def test_replica_groups_may_name_a_mesh_of_the_module() -> None:
    """As JAX 0.12 writes the collectives of shard_map."""
    text = """module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @pairs = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
    %b = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @pairs, axes = [#stablehlo.axis_ref<name = "x">]>,
      use_global_device_ids}> : (tensor<1xf32>) -> tensor<2xf32>
    return %b : tensor<2xf32>
  }
}"""
    run = hloscope.record(text, [hloscope.Each([np.full(1, k, np.float32) for k in range(4)])])
    results = [track.results() for track in run.tracks]
    assert [found[0].tolist() for found in results if found] == [[2, 0], [3, 1], [2, 0], [3, 1]]
