"""Opcodes of process grids, on the grid of the one process that XLA runs here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType

from ...cases import positive_sizes, seeds, shapes
from .cases import HloCase, computable, module, one
from .text import Computation, Shape, Value, dimensions

some_sizes = st.lists(positive_sizes, min_size=1, max_size=3).map(tuple)
rows = st.sampled_from(("replica_groups={{0}}", "replica_groups=[1,1]<=[1]"))
everybody = st.just("replica_groups={}")
channels = st.sampled_from(("", "channel_id=3"))
grouping = st.tuples(rows, channels | st.just("channel_id=1, use_global_device_ids=true")) | st.tuples(
    everybody, channels
)


def _sum(found: TensorType) -> Computation:
    scalar, add = found.with_shape(()), Computation("add.clone")
    add.op("add", [add.parameter(scalar), add.parameter(scalar)], scalar)
    return add


@st.composite
def all_reduce(draw: st.DrawFn) -> HloCase:
    """Of one array or of several."""
    element_type = draw(computable("iufc").filter(lambda found: found.bits >= 8))
    types = [TensorType(draw(shapes), element_type) for _ in range(draw(st.integers(1, 2)))]
    results = types[0] if len(types) == 1 else types
    add = _sum(types[0])
    attributes = [*draw(grouping), "to_apply=@add.clone"]
    # XLA's importer loses the layout of several.
    emitted = len(types) > 1 and element_type.bits >= 32
    if len(types) > 1 and not emitted:
        types, results = types[:1], types[0]
    return one(draw, "all-reduce", types, results, *attributes, computations=[add], emitted=emitted)


@st.composite
def reduce_scatter(draw: st.DrawFn) -> HloCase:
    found = TensorType(draw(some_sizes), draw(computable("iufc").filter(lambda t: t.bits >= 8)))
    dimension = dimensions([draw(st.integers(0, found.rank - 1))])
    attributes = [*draw(grouping), dimension, "to_apply=@add.clone"]
    return one(draw, "reduce-scatter", [found], found, *attributes, computations=[_sum(found)])


@st.composite
def of_one_dimension(draw: st.DrawFn, opcode: str) -> HloCase:
    """all-gather, and the form of all-to-all that has one operand."""
    found = TensorType(
        draw(some_sizes), draw(computable("biufc").filter(lambda t: t.bits >= 8 or t.bits == 1))
    )
    dimension = dimensions([draw(st.integers(0, found.rank - 1))])
    grouped = draw(grouping if opcode == "all-gather" else st.tuples(rows, channels))
    return one(draw, opcode, [found], found, dimension, *grouped)


@st.composite
def collective_permute(draw: st.DrawFn) -> HloCase:
    """Who gets nothing has zeros."""
    found = TensorType(draw(shapes), draw(computable("biufc").filter(lambda t: t.bits >= 8 or t.bits == 1)))
    pairs = draw(st.sampled_from(("{{0,0}}", "{}")))
    return one(draw, "collective-permute", [found], found, f"source_target_pairs={pairs}", draw(channels))


@st.composite
def started(draw: st.DrawFn, name: str, opcode: str) -> HloCase:
    """What is started and done, with something else in between."""
    found = TensorType(draw(some_sizes), ELEMENT_TYPES[draw(st.sampled_from(("f32", "i32", "f64", "ui8")))])
    number = TensorType((), ELEMENT_TYPES["ui32"])
    add, used = _sum(found), name == "all-reduce"
    futures: dict[str, Sequence[Shape]] = {
        "all-reduce": [found],
        "all-gather": [(found, found)],
        "collective-permute": [(found, found), (found, found, number, number)],
    }
    future = draw(st.sampled_from(list(futures[name])))
    attributes = {
        "all-reduce": ["replica_groups={}", "to_apply=@add.clone"],
        "all-gather": ["replica_groups={}", "dimensions={0}"],
        "collective-permute": ["source_target_pairs={{0,0}}"],
    }[name]

    def build(entry: Computation, operands: list[Value]) -> Value:
        start = entry.op(f"{name}-start", operands, future, *attributes)
        other = entry.op("copy", operands, found)
        return entry.pack([entry.op(f"{name}-done", [start], found), other])

    stated: dict[str, Any] = {"seed": draw(seeds)}
    return module(draw, opcode, [found], [found, found], build, [add] if used else [], **stated)


@st.composite
def process_id(draw: st.DrawFn, name: str) -> HloCase:
    result = TensorType(draw(shapes), ELEMENT_TYPES["ui32"])

    def build(entry: Computation, _: list[Value]) -> Value:
        found = entry.op(name, [], result.with_shape(()))
        return entry.op("broadcast", [found], result, "dimensions={}")

    return module(draw, name, [], result, build, emitted=None)


GENERATORS = {
    "all-reduce": all_reduce(),
    "reduce-scatter": reduce_scatter(),
    "all-gather": of_one_dimension("all-gather"),
    "all-to-all": of_one_dimension("all-to-all"),
    "collective-permute": collective_permute(),
    **{
        f"{name}-{part}": started(name, f"{name}-{part}")
        for name in ("all-reduce", "all-gather", "collective-permute")
        for part in ("start", "done")
    },
    "partition-id": process_id("partition-id"),
    "replica-id": process_id("replica-id"),
}
