"""Index maps of collective ops that write slices at computed positions: every element, both directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.ir.types import TupleType
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.collectives.collective_rules import CollectiveOp
from hloscope.engine.ops.core.exchanges import Array, GridPosition
from hloscope.engine.ops.core.process_groups import Grid, IdTable, ReplicaGroups
from hloscope.engine.ops.core.values import tuple_of
from hloscope.engine.ops.hlo.in_place_permute import CollectivePermuteInPlace
from hloscope.engine.ops.hlo.ragged_all_to_all import RaggedAllToAll
from hloscope.engine.ops.hlo.ragged_maps import runs_of

from .drawing_grids import BY_ONE, CHANNEL, works
from .playing import Brought, processes
from .relations import Relation, by_maps, by_pieces, by_values, numbered
from .running import tensor

FEW, MANY = settings(max_examples=6, deadline=None), settings(max_examples=200, deadline=None)
few = st.integers(0, 2)


def data_only(relation: Relation, data: range) -> Relation:
    """The pairs of elements that are moved; not those of indices, which decide where."""
    return {(origin, target) for origin, target in relation if origin[1] in data}


def check(op: CollectiveOp, grid: Grid, given: Brought, data: range) -> None:
    assert first_broken_constraint(op) is None
    relation = by_maps(op, grid, given, inverse=False)
    assert relation == by_maps(op, grid, given, inverse=True)
    assert relation == by_maps(op.on_grid(grid), grid, given, inverse=False)
    moved = data_only(relation, data)
    taking_part = {process for process in processes(grid) if op.peers(GridPosition(process, grid))}
    pieces = {pair for pair in moved if pair[1][0] in taking_part}
    assert pieces == by_pieces(op, grid, given)
    assert moved == by_values(op, grid, given, data)


@st.composite
def ragged(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought, range]:
    """Slices at any position, also overlapping; `replica_groups` may be empty, for one group of all."""
    work = draw(works(BY_ONE))
    if len(work.replica_groups.rows) == 1 and draw(st.booleans()):
        in_order = [sorted(group) for group in work.groups]
        work = replace(work, groups=in_order, replica_groups=ReplicaGroups.of())
    count, updates = len(work.groups[0]), draw(st.integers(1, 2))
    rows, beside = draw(st.integers(2, 4)), draw(st.lists(st.integers(1, 2), max_size=1).map(tuple))
    flat = draw(st.booleans())
    shape = (count * updates,) if flat else (count, updates)
    arrays = numbered(work.grid, (rows, *beside), (rows, *beside))
    vectors: dict[tuple[int, ...], np.ndarray] = {}
    for group in work.groups:
        sizes = np.array(draw(st.lists(few, min_size=count**2 * updates, max_size=count**2 * updates)))
        sizes = sizes.reshape(count, count, updates)
        starts, targets = (
            np.array([draw(st.integers(0, rows - size)) for size in sizes.reshape(-1)]).reshape(sizes.shape)
            for _ in range(2)
        )
        for at, process in enumerate(group):
            mine = (starts[at], sizes[at], targets[at], sizes[:, at])
            vectors[process] = np.array([found.reshape(shape) for found in mine], np.int32)
    given = {process: (*arrays[process], *vectors[process]) for process in processes(work.grid)}
    found, vector = tensor((rows, *beside), "i64"), tensor(shape, "i32")
    op = RaggedAllToAll(
        found, found, vector, vector, vector, vector, work.replica_groups, work.channel_handle
    )
    return op, work.grid, given, range(2)


def index(*numbers: int) -> Array:
    return tuple_of([np.array(number, np.int32) for number in numbers])


@st.composite
def in_place(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought, range]:
    """Slices of one or two buffers, also overlapping, from and to positions that may have to be clamped."""
    grid = Grid(*draw(st.sampled_from([(3, 1), (1, 3), (2, 2)])))
    channel = draw(st.sampled_from([None, CHANNEL]))
    count = grid.num_partitions if channel else grid.num_replicas
    sources, targets = draw(st.permutations(range(count))), draw(st.permutations(range(count)))
    kept = draw(st.integers(1, count))
    pairs = IdTable.of(*zip(sources[:kept], targets[:kept], strict=True))
    several_buffers, slices = draw(st.booleans()), draw(st.integers(1, 2))
    buffers = 2 if several_buffers else 1
    sizes = st.tuples(st.integers(1, 4), st.integers(1, 3))
    ins, outs = ([draw(sizes) for _ in range(buffers)] for _ in range(2))
    parts = tuple(
        tuple(draw(st.integers(1, min(a, b))) for a, b in zip(ins[k], outs[k], strict=True))
        for k in range(buffers)
        for _ in range(slices)
    )
    arrays = numbered(grid, *ins, *outs)

    def indices() -> Array:
        per_buffer = []
        for _ in range(buffers):
            found = [index(draw(st.integers(-1, 4)), draw(st.integers(-1, 4))) for _ in range(slices)]
            per_buffer.append(tuple_of(found) if slices > 1 else found[0])
        return tuple_of(per_buffer) if several_buffers else per_buffer[0]

    def bundle(values: Sequence[Array]) -> Array:
        return tuple_of(values) if several_buffers else values[0]

    given = {
        process: (bundle(found[:buffers]), bundle(found[buffers:]), indices(), indices())
        for process, found in arrays.items()
    }
    one = TupleType((tensor((), "i32"),) * 2)
    each = TupleType((one,) * slices) if slices > 1 else one
    types = [
        TupleType(tuple(tensor(shape, "i64") for shape in shapes))
        if several_buffers
        else tensor(shapes[0], "i64")
        for shapes in (ins, outs)
    ]
    starts = TupleType((each,) * buffers) if several_buffers else each
    op = CollectivePermuteInPlace(types[0], types[1], starts, starts, pairs, parts, channel)
    return op, grid, given, range(2 * buffers)


@pytest.mark.more
@pytest.mark.parametrize("drawn", [ragged, in_place])
@FEW
@given(st.data())
def test_slices_are_where_the_maps_say(drawn: object, data: st.DataObject) -> None:
    check(*data.draw(drawn()))  # type: ignore[operator]


@pytest.mark.long
@pytest.mark.parametrize("drawn", [ragged, in_place])
@MANY
@given(st.data())
def test_many_slices_are_where_the_maps_say(drawn: object, data: st.DataObject) -> None:
    check(*data.draw(drawn()))  # type: ignore[operator]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), few, st.integers(0, 4)), max_size=6))
def test_runs_are_what_stays_of_slices(slices: list[tuple[int, int, int, int]]) -> None:
    rows = [(-1, -1)] * 6
    for place, start, size, target in slices:
        rows[target : target + size] = [(place, start + k) for k in range(size)]
    found = [(-1, -1)] * 6
    runs = list(runs_of(slices, 6))
    for place, start, size, target in runs:
        assert size > 0
        found[target : target + size] = [(place, start + k) for k in range(size)]
    assert found == rows
    assert len(runs) <= max(1, 2 * len(slices) - 1)
