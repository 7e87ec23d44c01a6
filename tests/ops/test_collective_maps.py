"""Index maps of collective ops, with their places: on any grid as the elements really move, in both directions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hloscope.engine.indexing import Dim, Expression, IndexMap, Interval, OperandMap, Runtime
from hloscope.engine.ir.types import TupleType
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.collectives.collective_broadcast import CollectiveBroadcast
from hloscope.engine.ops.collectives.collective_reductions import (
    AllReduce,
    CollectiveReduce,
    CrossReplicaSum,
    ReduceScatter,
)
from hloscope.engine.ops.collectives.collective_rules import CollectiveOp, GroupedCollective
from hloscope.engine.ops.collectives.collectives import AllGather, AllToAll, CollectivePermute
from hloscope.engine.ops.core.process_groups import Grid, IdTable, ReplicaGroups, Strategy
from hloscope.engine.ops.hlo.all_to_all import AllToAll as HloAllToAll
from hloscope.engine.ops.hlo.all_to_all import AllToAllTuple
from hloscope.engine.ops.hlo.collective_starts import (
    AllGatherStart,
    AllReduceStart,
    CollectivePermuteStart,
    CollectiveStart,
)
from hloscope.engine.ops.hlo.several_operands import CollectiveBroadcasts, CollectivePermutes, ReduceScatters
from hloscope.engine.ops.packed import PackedCollective

from ..indexing.proofs import is_inverse
from .drawing_grids import BY_ALL, BY_ONE, CHANNEL, Work, grids, works
from .playing import Brought, play, processes
from .relations import by_maps, by_pieces, by_values, numbered
from .running import body_of, tensor

ADD = body_of("stablehlo.add", "i64")
shapes = st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple)
FEW = settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow], deadline=None)
MANY = settings(FEW, max_examples=200)


def scaled(shape: tuple[int, ...], dimension: int, count: int) -> tuple[int, ...]:
    return (*shape[:dimension], shape[dimension] * count, *shape[dimension + 1 :])


def opened(draw: st.DrawFn, work: Work) -> Work:
    """The same, now and then without ids, where one row has them all: then they are in order."""
    if len(work.replica_groups.rows) > 1 or work.use_global_device_ids or draw(st.booleans()):
        return work
    return replace(work, replica_groups=ReplicaGroups.of())


@st.composite
def cases(draw: st.DrawFn, name: str) -> tuple[CollectiveOp, Grid, Brought]:
    """An op of that name, a grid, and numbered operands."""
    return CASES[name](draw)


def _gather(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought]:
    work, shape = draw(works(BY_ALL)), draw(shapes)
    dimension = draw(st.integers(0, len(shape) - 1))
    found = tensor(shape, "i64")
    whole = tensor(scaled(shape, dimension, len(work.groups[0])), "i64")
    op = AllGather((found, found), dimension, work.replica_groups, results=(whole, whole), **work.by)
    wanted: CollectiveOp = op
    if work.replicas_first and draw(st.booleans()):
        types = (found, found)
        wanted = AllGatherStart(
            types,
            TupleType((TupleType(types), TupleType((whole, whole)))),
            dimension,
            work.replica_groups,
            CHANNEL,
        )
    elif draw(st.booleans()):
        wanted = PackedCollective(op)
    return wanted, work.grid, numbered(work.grid, shape, shape)


def _all_to_all(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought]:
    work, shape = draw(works(BY_ONE)), draw(shapes)
    split, concat = (draw(st.integers(0, len(shape) - 1)) for _ in range(2))
    count = len(work.groups[0])
    shape = scaled(shape, split, count)
    found = tensor(shape, "i64")
    op = AllToAll((found, found), split, concat, count, work.replica_groups, work.channel_handle)
    return op, work.grid, numbered(work.grid, shape, shape)


def _hlo_all_to_all(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought]:
    work, shape = opened(draw, draw(works(BY_ONE))), draw(shapes)
    dimension = draw(st.integers(0, len(shape) - 1))
    shape = scaled(shape, dimension, len(work.groups[0]))
    op = HloAllToAll(tensor(shape, "i64"), dimension, work.replica_groups, work.channel_handle)
    return op, work.grid, numbered(work.grid, shape)


def _all_to_all_tuple(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought]:
    work, shape = opened(draw, draw(works(BY_ONE))), draw(shapes)
    count = len(work.groups[0])
    op = AllToAllTuple((tensor(shape, "i64"),) * count, work.replica_groups, work.channel_handle)
    return PackedCollective(op), work.grid, numbered(work.grid, *[shape] * count)


def _broadcast(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought]:
    work, shape = draw(works(BY_ONE, covering=False)), draw(shapes)
    found = tensor(shape, "i64")
    if draw(st.booleans()):
        one = CollectiveBroadcast(found, work.replica_groups, work.channel_handle)
        return one, work.grid, numbered(work.grid, shape)
    op = CollectiveBroadcasts((found, found), work.replica_groups, work.channel_handle)
    return op, work.grid, numbered(work.grid, shape, shape)


def _permute(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought]:
    grid, shape = draw(grids), draw(shapes)
    channel = draw(st.sampled_from([None, CHANNEL]))
    count = grid.num_partitions if channel else grid.num_replicas
    sources, targets = draw(st.permutations(range(count))), draw(st.permutations(range(count)))
    kept = draw(st.integers(1, count))
    pairs = IdTable.of(*zip(sources[:kept], targets[:kept], strict=True))
    found = tensor(shape, "i64")
    kind = draw(st.sampled_from(["one", "several", "start"]))
    if kind == "one":
        return CollectivePermute(found, pairs, channel), grid, numbered(grid, shape)
    if kind == "several":
        return CollectivePermutes((found, found), pairs, channel), grid, numbered(grid, shape, shape)
    start = CollectivePermuteStart((found,), TupleType((found, found)), pairs, channel)
    return start, grid, numbered(grid, shape)


def _all_reduce(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought]:
    work, shape = opened(draw, draw(works(BY_ALL))), draw(shapes)
    found = tensor(shape, "i64")
    op_class = draw(st.sampled_from([AllReduce, AllReduceStart]))
    op = op_class((found, found), work.replica_groups, ADD, **work.by)
    return op, work.grid, numbered(work.grid, shape, shape)


def _padded_all_reduce(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought]:
    """Groups of different sizes."""
    grid, shape = draw(grids), draw(shapes)
    ids = draw(st.permutations(range(grid.num_replicas)))
    cut = draw(st.integers(0, len(ids)))
    rows = [row for row in (ids[:cut], ids[cut:]) if row]
    width = max(map(len, rows)) + draw(st.integers(0, 1))
    groups = ReplicaGroups.of(*([*row, *[-1] * (width - len(row))] for row in rows))
    by = draw(st.sampled_from([{}, {"channel_handle": CHANNEL}]))
    op = AllReduce((tensor(shape, "i64"),), groups, ADD, **by)  # type: ignore[arg-type]
    return op, grid, numbered(grid, shape)


def _reduce_scatter(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought]:
    work, part = draw(works(BY_ALL)), draw(shapes)
    dimension = draw(st.integers(0, len(part) - 1))
    shape = scaled(part, dimension, len(work.groups[0]))
    whole, result = tensor(shape, "i64"), tensor(part, "i64")
    if draw(st.booleans()):
        op: CollectiveOp = ReduceScatter(whole, dimension, work.replica_groups, ADD, result=result, **work.by)
        return op, work.grid, numbered(work.grid, shape)
    op = ReduceScatters(
        (whole, whole), dimension, work.replica_groups, ADD, results=(result, result), **work.by
    )
    return op, work.grid, numbered(work.grid, shape, shape)


def _collective_reduce(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought]:
    work, shape = draw(works(BY_ALL, covering=False)), draw(shapes)
    op = CollectiveReduce((tensor(shape, "i64"),), work.replica_groups, ADD, **work.by)
    return op, work.grid, numbered(work.grid, shape)


def _cross_replica_sum(draw: st.DrawFn) -> tuple[CollectiveOp, Grid, Brought]:
    work, shape = opened(draw, draw(works([Strategy.CROSS_REPLICA]))), draw(shapes)
    return CrossReplicaSum(tensor(shape, "i64"), work.replica_groups), work.grid, numbered(work.grid, shape)


MOVING = {
    "all_gather": _gather,
    "all_to_all": _all_to_all,
    "hlo.all_to_all": _hlo_all_to_all,
    "hlo.all_to_all_tuple": _all_to_all_tuple,
    "collective_broadcast": _broadcast,
    "collective_permute": _permute,
}
COMBINING = {
    "all_reduce": _all_reduce,
    "padded all_reduce": _padded_all_reduce,
    "reduce_scatter": _reduce_scatter,
    "collective_reduce": _collective_reduce,
    "cross-replica-sum": _cross_replica_sum,
}
CASES = MOVING | COMBINING


def check(op: CollectiveOp, grid: Grid, given: Brought) -> None:
    """Both directions say the same, which is how the elements move; on a known grid, too."""
    assert first_broken_constraint(op) is None
    relation = by_maps(op, grid, given, inverse=False)
    assert relation == by_maps(op, grid, given, inverse=True)
    for direction in (False, True):
        assert by_maps(op.on_grid(grid), grid, given, inverse=direction) == relation
    if not isinstance(op, AllGatherStart | CollectivePermuteStart):
        assert relation == by_pieces(op, grid, given)


def check_moving(op: CollectiveOp, grid: Grid, given: Brought) -> None:
    """What is more, each element is where the map says."""
    check(op, grid, given)
    found = by_maps(op, grid, given, inverse=False)
    if isinstance(op, AllGatherStart | CollectivePermuteStart):
        kept = len(
            op.given
        )  # what is given again comes first, and the outputs stand alone where they come at once
        found = {(a, (process, k - kept, i)) for a, (process, k, i) in found if k >= kept}
        op = op.twin
    assert found == by_values(op, grid, given)


@pytest.mark.more
@pytest.mark.parametrize("name", MOVING)
@FEW
@given(st.data())
def test_moved_elements_are_where_the_maps_say(name: str, data: st.DataObject) -> None:
    check_moving(*data.draw(cases(name)))


def check_combining(op: CollectiveOp, grid: Grid, given: Brought, data: st.DataObject) -> None:
    """What is more, a sum changes where the maps say that a disturbed element goes, and nowhere else."""
    check(op, grid, given)
    process = data.draw(st.sampled_from(processes(grid)))
    number = data.draw(st.integers(0, len(given[process]) - 1))
    value = np.array(given[process][number])
    index = tuple(data.draw(st.integers(0, size - 1)) for size in value.shape)
    value[index] += 1
    changed = list(given[process])
    changed[number] = value
    before, after = play(op, grid, given), play(op, grid, {**given, process: changed})
    found = {
        (other, result, tuple(place))
        for other in processes(grid)
        for result, (old, new) in enumerate(zip(before[other], after[other], strict=True))
        for place in np.argwhere(old != new).tolist()
    }
    relation = by_maps(op, grid, given, inverse=True)
    assert found == {target for origin, target in relation if origin == (process, number, index)}


@pytest.mark.more
@pytest.mark.parametrize("name", COMBINING)
@FEW
@given(st.data())
def test_combined_elements_are_those_of_the_maps(name: str, data: st.DataObject) -> None:
    check_combining(*data.draw(cases(name)), data)


def placed_relation(item: OperandMap, members: int) -> IndexMap:
    """(own place, index) -> (other place, element), where nothing else depends on the run."""
    assert item.place is not None
    places = item.map.runtimes[0].interval if item.map.runtimes else Interval(0, members - 1)
    moved: dict[Expression, Expression] = {Dim(k): Dim(k + 1) for k in range(len(item.map.dimensions))}
    results, constraints = item.placed.substitute({**moved, Runtime(0): Dim(0)})
    dimensions = (places, *item.map.dimensions)
    return IndexMap((results[-1], *results[:-1]), dimensions, item.map.ranges, (), constraints)


@pytest.mark.parametrize("name", CASES)
@FEW
@given(st.data())
def test_one_direction_is_the_inverse_of_the_other(name: str, data: st.DataObject) -> None:
    """As isl proves, for the op on its grid: of fixed groups, a place is a number like an index."""
    op, grid, _ = data.draw(cases(name))
    op = op.on_grid(grid)  # type: ignore[assignment]
    op = op.twin if isinstance(op, PackedCollective | CollectiveStart) else op
    there, back = list(op.index_maps()), list(op.inverse_index_maps())
    if not isinstance(op, GroupedCollective) or not op.group.is_fixed:
        return  # places of permutes are looked up, and so are sizes
    for number in {(item.operand, item.result) for item in there}:
        pair = [
            [placed_relation(item, op.group.most) for item in maps if (item.operand, item.result) == number]
            for maps in (there, back)
        ]
        assert is_inverse(pair[0], pair[1])


@pytest.mark.long
@pytest.mark.parametrize("name", MOVING)
@MANY
@given(st.data())
def test_many_moved_elements_are_where_the_maps_say(name: str, data: st.DataObject) -> None:
    check_moving(*data.draw(cases(name)))


@pytest.mark.long
@pytest.mark.parametrize("name", COMBINING)
@MANY
@given(st.data())
def test_many_combined_elements_are_those_of_the_maps(name: str, data: st.DataObject) -> None:
    check_combining(*data.draw(cases(name)), data)
