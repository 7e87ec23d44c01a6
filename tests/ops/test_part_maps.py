"""Index maps of what cuts whole tensors into parts and joins them: as the elements really lie, in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.exchanges import Array, GridPosition, PeerValues
from hloscope.engine.ops.core.process_groups import Grid, ProcessId
from hloscope.engine.ops.sharded_parts.manual_parts import ManualParts
from hloscope.engine.ops.sharded_parts.tiled_parts import TiledParts
from hloscope.engine.sharding.notation.device_meshes import DeviceMesh
from hloscope.engine.sharding.notation.tilings import Tiling, tiling_by_axes

from ..indexing.proofs import assert_simplifies_equal
from .relations import indices_in, mapped
from .running import tensor

Index = tuple[int, ...]
Pairs = set[tuple[tuple[int, Index], tuple[int, Index]]]
"""An element that is read and one that is made, each in a process."""
Parts = TiledParts | ManualParts
FEW, MANY = settings(max_examples=10, deadline=None), settings(max_examples=200, deadline=None)


@st.composite
def meshes(draw: st.DrawFn) -> DeviceMesh:
    """Of at most eight devices, in any order."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3).filter(lambda s: prod(s) <= 8))
    axes = tuple((f"a{number}", size) for number, size in enumerate(sizes))
    return DeviceMesh(axes, tuple(draw(st.permutations(range(prod(sizes))))))


@st.composite
def tilings(draw: st.DrawFn, sizes: Mapping[str, int], ids: Array, rank: int) -> Tiling:
    """Of tensors of a rank, along any axes; along some of them terms of a sum."""
    dimensions: list[list[tuple[str, int, int]]] = [[] for _ in range(rank)]
    unreduced = []
    for axis in draw(st.permutations(list(sizes))):
        where = draw(st.integers(0, rank + 1))
        if where < rank:
            dimensions[where].append((axis, 1, sizes[axis]))
        elif where == rank:
            unreduced.append((axis, 1, sizes[axis]))
    return tiling_by_axes(sizes, ids, dimensions, unreduced)


@st.composite
def tiled(draw: st.DrawFn) -> tuple[Parts, TensorType, int]:
    """A tensor laid out over a mesh, its type, and how many devices there are."""
    mesh, rank = draw(meshes()), draw(st.integers(1, 2))
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=rank, max_size=rank)))
    tiling = draw(tilings(mesh.sizes, mesh.ids(), rank))
    return TiledParts(tiling, shape), tensor(shape, "i64"), len(mesh.ids())


@st.composite
def manual(draw: st.DrawFn) -> tuple[Parts, TensorType, int]:
    """As a manual computation along some axes lays out one operand, and its result, which is of the same sizes."""
    mesh, rank = draw(meshes()), draw(st.integers(1, 2))
    axes = [axis for axis in mesh.sizes if draw(st.booleans())]
    sizes = {axis: mesh.sizes[axis] for axis in axes}
    row = np.arange(prod(sizes.values()))
    ins, outs = (draw(tilings(sizes, row, rank)) for _ in range(2))
    counts = [prod({a, b}) for a, b in zip(ins.tiles, outs.tiles, strict=True)]
    shape = tuple(count * draw(st.integers(1, 2)) for count in counts)
    return ManualParts(mesh, "@mesh", tuple(axes), (ins,), (outs,)), tensor(shape, "i64"), len(mesh.ids())


def places(count: int) -> list[GridPosition]:
    return [GridPosition(ProcessId(0, number), Grid(1, count)) for number in range(count)]


def wholes(shape: Index, count: int) -> list[Array]:
    """For each process a tensor whose elements are all different, and not 0."""
    size = prod(shape)
    return [np.arange(1 + k * size, 1 + (k + 1) * size).reshape(shape) for k in range(count)]


def check_cut(parts: Parts, whole: TensorType, count: int) -> None:
    read: Pairs = set()
    given = wholes(whole.sizes, count)
    for place in places(count):
        own = place.process.partition_id
        (part,) = parts.cut([given[own]], place)
        for index in np.ndindex(part.shape):
            if part[index]:
                at = int(part[index]) - 1 - own * prod(whole.sizes)
                origin = tuple(map(int, np.unravel_index(at, whole.sizes)))
                read.add(((own, origin), (own, index)))
    for inverse in (False, True):
        found: Pairs = set()
        for place in places(count):
            own = place.process.partition_id
            (item,) = parts.cut_maps([whole], 1, inverse=inverse)
            assert_simplifies_equal(item)
            for index, other, element in mapped(item, (given[own], *parts.cut_values(place))):
                assert other is None
                found.add(((own, index), (own, element)) if inverse else ((own, element), (own, index)))
        assert found == read


def check_joined(parts: Parts, whole: TensorType, count: int) -> None:
    tiling = parts.tiling if isinstance(parts, TiledParts) else parts.outs[0]
    brought = wholes(tiling.part_shape(whole.sizes), count)
    moved: Pairs = set()
    for place in places(count):
        peers = parts.peers(place)
        numbers = [process.partition_id for process in peers.awaited]
        peer_values = PeerValues(tuple((brought[k],) for k in numbers), peers.awaited.index(place.process))
        for piece in parts.pieces(peer_values):
            for read, written in zip(indices_in(piece.read), indices_in(piece.written), strict=True):
                moved.add(((numbers[piece.source], read), (place.process.partition_id, written)))
    for inverse in (False, True):
        found: Pairs = set()
        for place in places(count):
            own = place.process.partition_id
            (item,) = parts.join_maps([whole], 1, inverse=inverse)
            assert_simplifies_equal(item)
            awaited = parts.peers(place).awaited
            for index, at, element in mapped(item, (brought[own], *parts.join_values(place))):
                other = own if at is None else awaited[at].partition_id
                found.add(((own, index), (other, element)) if inverse else ((other, element), (own, index)))
        assert found == moved


@pytest.mark.parametrize("kind", [tiled, manual])
@FEW
@given(st.data())
def test_parts_are_cut_as_the_maps_say(kind: object, data: st.DataObject) -> None:
    check_cut(*data.draw(kind()))  # type: ignore[operator]


@pytest.mark.parametrize("kind", [tiled, manual])
@FEW
@given(st.data())
def test_parts_are_joined_as_the_maps_say(kind: object, data: st.DataObject) -> None:
    check_joined(*data.draw(kind()))  # type: ignore[operator]


@pytest.mark.long
@pytest.mark.parametrize("kind", [tiled, manual])
@MANY
@given(st.data())
def test_many_parts_are_cut_and_joined_as_the_maps_say(kind: object, data: st.DataObject) -> None:
    check_cut(*data.draw(kind()))  # type: ignore[operator]
    check_joined(*data.draw(kind()))  # type: ignore[operator]
