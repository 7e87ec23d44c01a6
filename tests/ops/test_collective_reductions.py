"""Collective ops that combine what processes hold: on any grid, in the order of the group."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.errors import RunError
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.module import Region
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.collectives.collective_reductions import (
    AllReduce,
    CollectiveReduce,
    CrossReplicaSum,
    ReduceScatter,
)
from hloscope.engine.ops.collectives.collective_rules import CollectiveOp
from hloscope.engine.ops.core.exchanges import Array, GridPosition, PeerValues
from hloscope.engine.ops.core.op import Ask, RunRegion
from hloscope.engine.ops.core.process_groups import Grid, ProcessId, ReplicaGroups
from hloscope.engine.ops.hlo.several_operands import ReduceScatters

from .building import QUANTIZED, same_bits
from .drawing_grids import BY_ALL, CHANNEL, Work, brought, seeds, works
from .playing import Brought, on_each, play, processes, replicas
from .running import BodyBuilder, body_of, disguised, doubled_sum, second_of, tensor

SOME = settings(max_examples=60)
sizes = st.lists(st.integers(1, 3), max_size=3).map(tuple)
PAIR = ReplicaGroups.of([0, 1])


def check(op: CollectiveOp, work: Work, given: Brought, wanted: dict[ProcessId, list[Array]]) -> None:
    """The op keeps its rules and gives what is wanted."""
    assert first_broken_constraint(op) is None
    for process, results in play(op, work.grid, given).items():
        assert len(results) == len(wanted[process])
        assert all(map(same_bits, results, wanted[process])), (process, results, wanted[process])


@SOME
@given(st.data())
def test_an_unrecognised_computation_is_run_from_the_left(data: st.DataObject) -> None:
    work = data.draw(works(BY_ALL))
    shapes = [data.draw(sizes), data.draw(sizes)]
    given = brought(data.draw(seeds), work.grid, "i32", *shapes)
    types = tuple(tensor(shape, "i32") for shape in shapes)
    op = AllReduce(types, work.replica_groups, doubled_sum("i32"), **work.by)
    assert not op.deferrable
    wanted = {
        process: [_folded([given[other][k] for other in work.group_of(process)]) for k in range(2)]
        for process in processes(work.grid)
    }
    check(op, work, given, wanted)
    first_alone = CollectiveReduce(types, work.replica_groups, doubled_sum("i32"), **work.by)
    first = {
        process: found if process == work.group_of(process)[0] else [np.zeros_like(x) for x in found]
        for process, found in wanted.items()
    }
    check(first_alone, work, given, first)


def _folded(values: list[Array]) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(reduce(lambda a, b: 2 * a + b, values))


def requests(op: CollectiveOp, peer_values: PeerValues) -> list[RunRegion]:
    """The regions that a process asks for; each gives its second argument."""
    found: list[RunRegion] = []
    step = op.resume(None, peer_values)
    while isinstance(step, Ask):
        assert isinstance(step.request, RunRegion)
        found.append(step.request)
        step = op.resume(step.state, (step.request.arguments[1],))
    return found


def test_a_computation_is_run_lifted_on_the_own_part() -> None:
    values = tuple((np.arange(4 * k, 4 * k + 4).reshape(2, 2),) for k in range(3))
    summed = AllReduce((tensor((2, 2), "i64"),), ReplicaGroups.of([0, 1, 2]), doubled_sum())
    assert [(asked.lanes, asked.iteration) for asked in requests(summed, PeerValues(values, 1))] == [
        ((2, 2), 0),
        ((2, 2), 1),
    ]
    scatter = ReduceScatter(tensor((2, 2), "i64"), 1, PAIR, doubled_sum())
    (asked,) = requests(scatter, PeerValues(values[:2], 1))
    assert [argument.tolist() for argument in asked.arguments] == [[[1], [3]], [[5], [7]]]


def test_a_computation_that_gives_one_number_gives_it_everywhere() -> None:
    op = AllReduce((tensor((3,), "i64"),), PAIR, doubled_sum())
    step = op.resume(None, PeerValues(((np.arange(3),), (np.arange(3),)), 0))
    assert isinstance(step, Ask)
    found = op.resume(step.state, (np.array(7),))
    assert isinstance(found, tuple)
    assert [value.tolist() for value in found] == [[7, 7, 7]]


def test_the_last_wins_where_the_computation_returns_it() -> None:
    op = AllReduce((tensor((2,), "i64"),), ReplicaGroups.of([2, 0, 1]), second_of("i64"))
    found = play(op, Grid(3), replicas(*(np.array([k, k]) for k in range(3))))
    assert [values[0].tolist() for values in found.values()] == [[1, 1]] * 3


def test_small_floats_are_rounded_once() -> None:
    parts = [np.array([value]).astype(ELEMENT_TYPES["bf16"].dtype) for value in (256, 1, 1)]
    groups, types = ReplicaGroups.of([0, 1, 2]), (tensor((1,), "bf16"),)
    recognised = AllReduce(types, groups, body_of("stablehlo.add", "bf16"))
    assert float(play(recognised, Grid(3), replicas(*parts))[ProcessId(0, 0)][0][0]) == 258
    step_by_step = AllReduce(types, groups, disguised("stablehlo.add", "bf16"))
    assert float(play(step_by_step, Grid(3), replicas(*parts))[ProcessId(0, 0)][0][0]) == 256


def test_elements_are_promoted_to_the_type_of_the_computation() -> None:
    op = AllReduce((tensor((1,), "f16"), tensor((2,), "bf16")), PAIR, body_of("stablehlo.add", "f32"))
    assert first_broken_constraint(op) is None
    bf16 = ELEMENT_TYPES["bf16"].dtype
    given = on_each(
        Grid(2), lambda process: [np.array([2048 + process[0]], np.float16), np.array([1, 2]).astype(bf16)]
    )
    found = play(op, Grid(2), given)[ProcessId(0, 0)]
    assert same_bits(found[0], np.array([4096], np.float32))  # 2049 is no f16
    assert same_bits(found[1], np.array([2, 4], np.float32))


def test_rows_may_be_shorter_than_others() -> None:
    op = AllReduce((tensor((), "i64"),), ReplicaGroups.of([0, 2], [1, -1]), body_of("stablehlo.add", "i64"))
    assert first_broken_constraint(op) is None
    found = play(op, Grid(3), replicas(*(np.array(10**k) for k in range(3))))
    assert [int(values[0]) for values in found.values()] == [101, 10, 101]


def test_quantized_elements_are_added_one_op_after_the_other() -> None:
    quantized = TensorType((2,), QUANTIZED["q8"])
    old = CrossReplicaSum(quantized, ReplicaGroups.of([0, 1, 2]))
    new = AllReduce((quantized,), ReplicaGroups.of([0, 1, 2]), _quantized_sum())
    assert not new.deferrable
    given = replicas(*(np.array([10 * k, 127], np.int8) for k in range(3)))
    olds, news = (play(op, Grid(3), given)[ProcessId(0, 0)][0] for op in (old, new))
    assert olds.dtype == np.int8
    assert olds.tolist() == news.tolist()
    assert olds[1] == 127


def _quantized_sum() -> Region:
    build = BodyBuilder(*[QUANTIZED["q8"]] * 2)
    return build.returning(build.op("stablehlo.add", *build.arguments))


def test_the_group_shares_one_array() -> None:
    op = AllReduce((tensor((2,), "i64"),), ReplicaGroups.of([0, 2], [1, 3]), body_of("stablehlo.add", "i64"))
    found = play(op, Grid(4), replicas(*(np.array([k, k]) for k in range(4))))
    results = [values[0] for values in found.values()]
    assert results[0] is results[2]
    assert results[0] is not results[1]
    assert not any(value.flags.writeable for value in results)


def test_what_a_process_scatters_is_its_own() -> None:
    op = ReduceScatter(tensor((4,), "i64"), 0, PAIR, body_of("stablehlo.add", "i64"))
    found = play(op, Grid(2), replicas(np.arange(4), np.arange(4)))
    assert [values[0].base for values in found.values()] == [None, None]


def test_what_does_not_fit_the_grid_is_said_before_anybody_waits() -> None:
    place, add = GridPosition(ProcessId(0, 0), Grid(3)), body_of("stablehlo.add", "f32")
    uneven = ReduceScatter(tensor((4,)), 0, ReplicaGroups.of(), add, CHANNEL, result=tensor((2,)))
    other = ReduceScatter(tensor((6,)), 0, ReplicaGroups.of(), add, CHANNEL, result=tensor((3,)))
    several = ReduceScatters((tensor((6,)), tensor((4,))), 0, ReplicaGroups.of(), add)
    split = "scatter_dimension 0 (size 4) cannot be split among 3 processes"
    for op, label, message in (
        (uneven, "C1", split),
        (other, "C8", "result 0 has shape [2] in this run, not [3]"),
        (several, "C1", split),
    ):
        with pytest.raises(RunError) as raised:
            op.peers(place)
        assert (raised.value.label, raised.value.message) == (label, message)


def test_cost_counts_the_members() -> None:
    types, add = (tensor((8,)),), body_of("stablehlo.add", "f32")
    assert AllReduce(types, ReplicaGroups.of([0, 1, 2]), add).cost(types, types).flops == 24
    assert AllReduce(types, ReplicaGroups.of(), doubled_sum()).cost(types, types).flops == 16
