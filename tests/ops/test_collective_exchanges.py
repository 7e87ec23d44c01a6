"""Collective ops that move what processes hold: on any grid, as NumPy says, and every piece followed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.errors import RunError
from hloscope.engine.ir.types import TensorType, TupleType
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.collectives.collective_rules import ChannelHandle, CollectiveOp
from hloscope.engine.ops.collectives.collectives import AllGather, CollectivePermute
from hloscope.engine.ops.core.exchanges import Array, GridPosition, Peers
from hloscope.engine.ops.core.process_groups import Grid, IdTable, ProcessId, ReplicaGroups
from hloscope.engine.ops.core.values import leaves, tuple_of
from hloscope.engine.ops.hlo.all_to_all import AllToAll as HloAllToAll
from hloscope.engine.ops.hlo.all_to_all import AllToAllTuple
from hloscope.engine.ops.hlo.collective_starts import AllGatherStart, CollectivePermuteStart
from hloscope.engine.ops.hlo.in_place_permute import CollectivePermuteInPlace
from hloscope.engine.ops.hlo.ragged_all_to_all import RaggedAllToAll

from .building import QUANTIZED, same_bits
from .drawing_grids import BY_ONE, MOVED, brought, seeds, works
from .playing import Brought, gathered, on_each, play, processes, rebuilt, replicas
from .running import tensor

SOME = settings(max_examples=60)
sizes = st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple)
element_types = st.sampled_from(MOVED)


def check(op: CollectiveOp, grid: Grid, given: Brought, wanted: dict[ProcessId, list[Array]]) -> None:
    """The op keeps its rules and gives what is wanted, which can be put together from its pieces."""
    assert first_broken_constraint(op) is None
    found = play(op, grid, given)
    mets = gathered(op, grid, given)
    for process in processes(grid):
        results = [leaf for value in found[process] for leaf in leaves(value)]
        assert all(map(same_bits, results, wanted[process]))
        assert len(results) == len(wanted[process])
        met = mets[process]
        if met is None or op.peers(GridPosition(process, grid)) is None:
            continue
        rebuilt_results = rebuilt(op, met, results)
        assert all(map(same_bits, rebuilt_results, results))


def test_a_process_waits_for_its_source_and_its_target_alone() -> None:
    ring = CollectivePermute(tensor((2,)), IdTable.of([0, 1], [1, 2], [2, 0], [3, 3], [4, 5], [6, 7], [7, 6]))
    grid = Grid(9, 2)
    group = tuple(ProcessId(replica, 1) for replica in range(8))

    def awaited(replica: int) -> list[int]:
        peers = ring.peers(GridPosition(ProcessId(replica, 1), grid))
        assert peers is not None
        assert peers.group == group
        assert all(process.partition_id == 1 for process in peers.awaited)
        return [process.replica_id for process in peers.awaited]

    assert [awaited(replica) for replica in range(8)] == [
        *([2, 0, 1], [0, 1, 2], [1, 2, 0]),  # a ring
        [3],  # a pair with itself
        *([4, 5], [4, 5]),  # one way
        *([7, 6], [6, 7]),  # an exchange
    ]
    assert ring.peers(GridPosition(ProcessId(8, 1), grid)) is None


def test_who_sends_and_is_sent_nothing_gets_zeros() -> None:
    op = CollectivePermute(TensorType((2,), QUANTIZED["q8b"]), IdTable.of([0, 1]))
    given = replicas(*(np.array([k, k], np.int8) for k in range(3)))
    found = play(op, Grid(3), given)
    assert [values[0].tolist() for values in found.values()] == [[3, 3], [0, 0], [3, 3]]


def test_the_group_shares_one_array() -> None:
    given = replicas(*(np.array([k]) for k in range(4)))
    op = AllGather((tensor((1,), "i64"),), 0, ReplicaGroups.of([3, 0], [1, 2]))
    found = [values[0] for values in play(op, Grid(4), given).values()]
    assert found[0] is found[3]
    assert found[1] is found[2]
    assert not any(value.flags.writeable for value in found)
    assert [value.tolist() for value in found] == [[3, 0], [1, 2], [1, 2], [3, 0]]


def ragged(
    found: TensorType, vector: TensorType, groups: ReplicaGroups, channel: ChannelHandle | None = None
) -> RaggedAllToAll:
    """The op, whose input and output are of one type."""
    return RaggedAllToAll(found, found, vector, vector, vector, vector, groups, channel)


def peers_on(op: CollectiveOp, replica_count: int) -> Peers | None:
    """Those of process 0 on a grid of one partition."""
    return op.peers(GridPosition(ProcessId(0, 0), Grid(replica_count)))


@pytest.mark.parametrize(
    ("op", "label", "message"),
    [
        (
            AllGather((tensor((2,)),), 0, ReplicaGroups.of(), results=(tensor((4,)),)),
            "C6",
            "result 0 has shape [6] in this run, not [4]",
        ),
        (
            AllGather((tensor((2,)),), 0, ReplicaGroups.of([0, 1])),
            "C3",
            "replica_groups names 2 of the run's 3 replicas",
        ),
        (
            HloAllToAll(tensor((4,)), 0, ReplicaGroups.of()),
            None,
            "dimension 0 (size 4) cannot be split among 3 processes",
        ),
        (
            AllToAllTuple((tensor((4,)),) * 2, ReplicaGroups.of()),
            None,
            "a group of 3 processes needs as many operands, not 2",
        ),
        (
            ragged(tensor((4,)), tensor((4,), "i32"), ReplicaGroups.of()),
            None,
            "4 slices cannot be shared out among 3 processes",
        ),
        (
            CollectivePermute(tensor((2,)), IdTable.of([0, 3])),
            "C4",
            "source_target_pairs names replica 3, but this run has 3 processes (3 replicas x 1 partition)",
        ),
    ],
)
def test_what_does_not_fit_the_grid_is_said_before_anybody_waits(
    op: CollectiveOp, label: str | None, message: str
) -> None:
    with pytest.raises(RunError) as raised:
        peers_on(op, 3)
    assert (raised.value.label or None, raised.value.message) == (label, message)


# Slices of computed sizes


@st.composite
def schedules(draw: st.DrawFn, count: int, updates: int) -> tuple[np.ndarray, ...]:
    """For each process and each other, slices: where from, how many, where to; and how much that makes at most."""
    amounts = np.array(
        [[[draw(st.integers(0, 2)) for _ in range(updates)] for _ in range(count)] for _ in range(count)]
    )
    by_sender = amounts.reshape(count, -1)
    starts = (np.cumsum(by_sender, 1) - by_sender).reshape(amounts.shape)
    by_receiver = amounts.transpose(1, 0, 2).reshape(count, -1)
    targets = (np.cumsum(by_receiver, 1) - by_receiver).reshape(count, count, updates).transpose(1, 0, 2)
    return starts, amounts, targets


@SOME
@given(st.data())
def test_ragged_all_to_all(data: st.DataObject) -> None:
    work, name = data.draw(works(BY_ONE)), data.draw(element_types)
    count, updates = len(work.groups[0]), data.draw(st.integers(1, 2))
    starts, amounts, targets = data.draw(schedules(count, updates))
    beside = data.draw(st.lists(st.integers(1, 2), max_size=2).map(tuple))
    most = 1 + max(int(amounts.sum((1, 2)).max()), int(amounts.sum((0, 2)).max()))
    given = brought(data.draw(seeds), work.grid, name, (most, *beside), (most, *beside))
    flat = updates == 1 and data.draw(st.booleans())
    whole = {}
    for process in processes(work.grid):
        place = work.group_of(process).index(process)
        vectors = starts[place], amounts[place], targets[place], amounts[:, place]
        shaped = (vector.reshape(-1) if flat else vector for vector in vectors)
        whole[process] = (*given[process], *(np.ascontiguousarray(v, np.int32) for v in shaped))
    vector_type = tensor((count,) if flat else (count, updates), "i32")
    op = ragged(tensor((most, *beside), name), vector_type, work.replica_groups, work.channel_handle)
    wanted = {}
    for process in processes(work.grid):
        group = work.group_of(process)
        mine, result = group.index(process), given[process][1].copy()
        for sender, other in enumerate(group):
            for update in range(updates):
                start, amount, target = (x[sender, mine, update] for x in (starts, amounts, targets))
                for k in range(amount):
                    result[target + k] = given[other][0][start + k]
        wanted[process] = [result]
    check(op, work.grid, whole, wanted)


def test_slices_of_a_permute_are_put_into_what_is_there() -> None:
    index = TupleType((tensor((), "i32"),) * 2)
    op = CollectivePermuteInPlace(
        *(tensor((2, 3), "i64"), tensor((3, 4), "i64"), index, index),
        IdTable.of([0, 1], [1, 2]),
        ((1, 2),),
    )

    def operands(process: ProcessId) -> Sequence[Array]:
        number = process.replica_id
        given, kept = 10 * number + np.arange(6).reshape(2, 3), np.full((3, 4), -number)
        return given, kept, _index(number % 2, 1), _index(number, number)

    given = on_each(Grid(4), operands)
    wanted = {process: [np.array(given[process][1])] for process in given}
    wanted[ProcessId(1, 0)][0][1, 1:3] = [1, 2]  # from [0, 1] of process 0
    wanted[ProcessId(2, 0)][0][2, 2:4] = [14, 15]  # from [1, 1] of process 1
    check(op, Grid(4), given, wanted)


def _index(*numbers: int) -> Array:
    return tuple_of([np.array(number, np.int32) for number in numbers])


# Starts


def test_a_start_gives_what_stands_for_the_outputs() -> None:
    found, result = tensor((2,), "i64"), tensor((4,), "i64")
    op = AllGatherStart((found,), TupleType((found, result)), 0, ReplicaGroups.of([1, 0]))
    wanted = [np.array([2, 3, 0, 1])]
    given = replicas(np.array([0, 1]), np.array([2, 3]))
    check(op, Grid(2), given, dict.fromkeys(given, wanted))
    (placeholder,) = op.placeholders()
    assert placeholder.shape == (4,)
    assert op.placeholders()[0] is not placeholder


def test_who_is_in_no_pair_has_the_outputs_at_the_start() -> None:
    found = tensor((2,), "i64")
    op = CollectivePermuteStart((found,), TupleType((found, found)), IdTable.of([0, 1]))
    given = replicas(*(np.array([k, k]) for k in range(3)))
    results = [list(leaves(values[0])) for values in play(op, Grid(3), given).values()]
    assert [leaf.tolist() for leaf in results[2]] == [[2, 2], [0, 0]]
    assert [leaf.tolist() for leaf in results[1]] == [[0, 0]]  # outputs, which the start does not give yet


def test_an_open_group_has_placeholders_of_the_size_that_is_stated() -> None:
    found = AllGather((tensor((2,)),), 0, ReplicaGroups.of(), results=(tensor((6,)),)).placeholders()
    assert [value.shape for value in found] == [(6,)]
    unknown = AllGather((tensor((2,)),), 0, ReplicaGroups.of(), results=(tensor((None,)),)).placeholders()
    assert [value.shape for value in unknown] == [(0,)]
