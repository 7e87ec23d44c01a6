"""Calls of ops of a run of one process: its group holds it alone."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from hloscope.engine.ops.collectives.collective_reductions import (
    CollectiveReduce,
    ReduceScatter,
)
from hloscope.engine.ops.collectives.collective_rules import ChannelHandle
from hloscope.engine.ops.collectives.collectives import AllGather
from hloscope.engine.ops.core.process_groups import ReplicaGroups

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
    return Case(AllGather(types, dimension, ALONE, channel, True, types), operands)


@st.composite
def collective_reduces(draw: Draw) -> Case:
    types, operands = zip(*[of_i32(draw, draw(shapes)) for _ in range(draw(st.integers(1, 2)))], strict=True)
    groups = draw(st.sampled_from([ALONE, ReplicaGroups.of()]))
    op = CollectiveReduce(types, groups, body_of("stablehlo.add", "i32"), draw(channels))
    return Case(op, operands)


@st.composite
def reduce_scatters(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(some_sizes))
    op = ReduceScatter(found, draw(st.integers(0, found.rank - 1)), ALONE, body_of("stablehlo.add", "i32"))
    return Case(replace(op, result=found), (operand,))


CASES: dict[str, Cases] = {
    AllGather.name: all_gathers(),
    CollectiveReduce.name: collective_reduces(),
    ReduceScatter.name: reduce_scatters(),
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
