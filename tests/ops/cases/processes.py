"""Calls of ops of a run of one process: its group holds it alone."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from hloscope.engine.ops.collectives.collective_broadcast import CollectiveBroadcast
from hloscope.engine.ops.collectives.collective_reductions import (
    AllReduce,
    CollectiveReduce,
    CrossReplicaSum,
    ReduceScatter,
)
from hloscope.engine.ops.collectives.collective_rules import ChannelHandle
from hloscope.engine.ops.collectives.collectives import AllGather, AllToAll, CollectivePermute
from hloscope.engine.ops.control_flow.tuples import OptimizationBarrier
from hloscope.engine.ops.core.process_groups import IdTable, ReplicaGroups

from ..running import body_of
from .drawing import Case, Cases, Draw, of_i32, shapes

ALONE = ReplicaGroups.of([0])
channels = st.sampled_from([None, ChannelHandle(0, 0), ChannelHandle(1, 1)])
some_sizes = st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple)


@st.composite
def all_gathers(draw: Draw) -> Case:
    types, operands = zip(
        *[of_i32(draw, draw(some_sizes)) for _ in range(draw(st.integers(1, 2)))], strict=True
    )
    dimension = draw(st.integers(0, min(found.rank for found in types) - 1))
    channel = ChannelHandle(1, 0)
    return Case(AllGather(types, dimension, ALONE, channel, True, types), operands, tuple(range(len(types))))


@st.composite
def all_to_alls(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes.filter(len)))
    split, concat = (draw(st.integers(0, found.rank - 1)) for _ in range(2))
    return Case(AllToAll((found,), split, concat, 1, ALONE, draw(channels)), (operand,), (0,))


@st.composite
def all_reduces(draw: Draw) -> Case:
    types, operands = zip(*[of_i32(draw, draw(shapes)) for _ in range(draw(st.integers(1, 2)))], strict=True)
    op = AllReduce(types, ALONE, body_of("stablehlo.add", "i32"), draw(channels))
    return Case(op, operands, tuple(range(len(types))))


@st.composite
def collective_reduces(draw: Draw) -> Case:
    types, operands = zip(*[of_i32(draw, draw(shapes)) for _ in range(draw(st.integers(1, 2)))], strict=True)
    groups = draw(st.sampled_from([ALONE, ReplicaGroups.of()]))
    op = CollectiveReduce(types, groups, body_of("stablehlo.add", "i32"), draw(channels))
    return Case(op, operands, tuple(range(len(types))))


@st.composite
def reduce_scatters(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(some_sizes))
    op = ReduceScatter(found, draw(st.integers(0, found.rank - 1)), ALONE, body_of("stablehlo.add", "i32"))
    return Case(replace(op, result=found), (operand,), (0,))


@st.composite
def collective_broadcasts(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    groups = draw(st.sampled_from([ALONE, ReplicaGroups.of()]))
    return Case(CollectiveBroadcast(found, groups, draw(channels)), (operand,), (0,))


@st.composite
def collective_permutes(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    pairs = draw(st.sampled_from([IdTable.of([0, 0]), IdTable((), 2)]))
    return Case(CollectivePermute(found, pairs, draw(channels)), (operand,), (0,))


@st.composite
def cross_replica_sums(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(CrossReplicaSum(found, ALONE), (operand,), (0,))


@st.composite
def barriers(draw: Draw) -> Case:
    types, operands = zip(*[of_i32(draw, draw(shapes)) for _ in range(draw(st.integers(1, 3)))], strict=True)
    return Case(OptimizationBarrier(types), operands, tuple(range(len(types))))


CASES: dict[str, Cases] = {
    AllGather.name: all_gathers(),
    AllToAll.name: all_to_alls(),
    AllReduce.name: all_reduces(),
    CollectiveReduce.name: collective_reduces(),
    ReduceScatter.name: reduce_scatters(),
    CollectiveBroadcast.name: collective_broadcasts(),
    CollectivePermute.name: collective_permutes(),
    CrossReplicaSum.name: cross_replica_sums(),
    OptimizationBarrier.name: barriers(),
}

WITHOUT_CASES = {
    "stablehlo.tuple": "its result is no tensor",
    "stablehlo.get_tuple_element": "its operand is no tensor",
    "stablehlo.after_all": "tokens have no elements",
    "stablehlo.create_token": "tokens have no elements",
    "stablehlo.replica_id": "it has no operands",
    "stablehlo.partition_id": "it has no operands",
    "stablehlo.send": "its result is no tensor",
    "stablehlo.recv": "it needs a process that sends",
    "stablehlo.infeed": "it needs a queue that is filled",
    "stablehlo.outfeed": "its result is no tensor",
    "stablehlo.async_start": "its region needs an interpreter",
    "stablehlo.async_done": "its operand is no tensor",
}
"""Ops that cannot be called on their own, and why."""
