"""Calls of HLO's own ops that move values and compute nothing, in a run of one process."""

from __future__ import annotations

from math import prod

from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.layouts import Layout
from hloscope.engine.ir.types import TensorType, TokenType
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.process_groups import IdTable, ReplicaGroups
from hloscope.engine.ops.core.values import token
from hloscope.engine.ops.hlo.all_to_all import AllToAll, AllToAllTuple
from hloscope.engine.ops.hlo.collective_starts import AllReduceDone
from hloscope.engine.ops.hlo.hlo_bitcast import Bitcast
from hloscope.engine.ops.hlo.hlo_identities import AddDependency, Copy, Domain, Identity
from hloscope.engine.ops.hlo.several_operands import CollectiveBroadcasts, CollectivePermutes, ReduceScatters

from ..running import body_of
from .drawing import Case, Cases, Draw, arrays, of_i32, shapes
from .processes import ALONE, channels, some_sizes

WIDTHS = ("i64", "i32", "f32", "i16", "ui8", "i4")
"""Elements of many widths, all of whose bits count."""


@st.composite
def identities(draw: Draw, op_class: type[Identity]) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(op_class(found), (operand,))


@st.composite
def add_dependencies(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(AddDependency(found, TokenType()), (operand, token()))


def laid_out(draw: Draw, found: TensorType) -> TensorType:
    """`found` in any order in memory, narrow elements without gaps between them."""
    order = tuple(draw(st.permutations(range(found.rank))))
    bits = found.element_type.bits
    return TensorType(found.shape, found.element_type, layout=Layout(order, (), bits if bits < 8 else 0))


@st.composite
def bitcasts(draw: Draw) -> Case:
    source, target = (ELEMENT_TYPES[draw(st.sampled_from(WIDTHS))] for _ in range(2))
    sizes = [*draw(st.lists(st.integers(1, 3), max_size=2)), max(1, target.bits // source.bits)]
    given = laid_out(draw, TensorType(tuple(draw(st.permutations(sizes))), source))
    count = prod(sizes) * source.bits // target.bits
    first = draw(st.sampled_from([size for size in range(1, count + 1) if count % size == 0]))
    shape = draw(st.sampled_from([(count,), (first, count // first), (first, 1, count // first)]))
    op = Bitcast(given, laid_out(draw, TensorType(shape, target)))
    # Of an element of another width the disturbed one may change some parts only.
    return Case(op, (draw(arrays(source, given.sizes)),))


@st.composite
def all_to_alls(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes.filter(len)))
    dimension = draw(st.integers(0, found.rank - 1))
    return Case(AllToAll(found, dimension, ALONE, draw(channels)), (operand,))


@st.composite
def all_to_all_tuples(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(AllToAllTuple((found,), ALONE, draw(channels)), (operand,))


def several(
    draw: Draw, sizes: st.SearchStrategy[tuple[int, ...]]
) -> tuple[tuple[TensorType, ...], tuple[Array, ...]]:
    """Types and arrays of one or two operands."""
    types, operands = zip(*[of_i32(draw, draw(sizes)) for _ in range(draw(st.integers(1, 2)))], strict=True)
    return types, operands


@st.composite
def collective_broadcasts(draw: Draw) -> Case:
    types, operands = several(draw, shapes)
    groups = draw(st.sampled_from([ALONE, ReplicaGroups.of()]))
    op = CollectiveBroadcasts(types, groups, draw(channels))
    return Case(op, operands)


@st.composite
def collective_permutes(draw: Draw) -> Case:
    types, operands = several(draw, shapes)
    pairs = draw(st.sampled_from([IdTable.of([0, 0]), IdTable((), 2)]))
    return Case(CollectivePermutes(types, pairs, draw(channels)), operands)


@st.composite
def reduce_scatters(draw: Draw) -> Case:
    types, operands = several(draw, some_sizes)
    op = ReduceScatters(types, 0, ALONE, body_of("stablehlo.add", "i32"))
    return Case(op, operands)


CASES: dict[str, Cases] = {
    **{found.name: identities(found) for found in (Copy, Domain, AllReduceDone)},
    AddDependency.name: add_dependencies(),
    Bitcast.name: bitcasts(),
    AllToAll.name: all_to_alls(),
    AllToAllTuple.name: all_to_all_tuples(),
    CollectiveBroadcasts.name: collective_broadcasts(),
    CollectivePermutes.name: collective_permutes(),
    ReduceScatters.name: reduce_scatters(),
}

WITHOUT_CASES = {
    "hlo.constant": "its result is no tensor",
    "hlo.tuple_select": "its result is no tensor",
    "hlo.copy_start": "its result is no tensor",
    "hlo.copy_done": "its operand is no tensor",
    "hlo.fusion": "its function needs an interpreter",
    "hlo.conditional": "its regions need an interpreter",
    "hlo.async_start": "its region needs an interpreter",
    "hlo.async_update": "its operand is no tensor",
    "hlo.async_done": "its operand is no tensor",
    "hlo.collective_permute_in_place": "its indices are no tensors",
    "hlo.all_reduce_start": "its results stand for others",
    "hlo.all_gather_start": "its result is no tensor",
    "hlo.all_gather_done": "its operand is no tensor",
    "hlo.collective_permute_start": "its result is no tensor",
    "hlo.collective_permute_done": "its operand is no tensor",
    "hlo.infeed": "its result is no tensor",
    "hlo.outfeed": "its result is no tensor",
    "hlo.send": "its result is no tensor",
    "hlo.send_done": "its operand is no tensor",
    "hlo.recv": "its result is no tensor",
    "hlo.recv_done": "its operand is no tensor",
}
"""Ops that cannot be called on their own, and why."""
