"""Calls of ops that compute and that HLO text alone has, and of CHLO's twins of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, I1
from hloscope.engine.ir.module import Region
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.chlo.chlo_top_k import TopK
from hloscope.engine.ops.contractions.dot_general import DotDimensionNumbers
from hloscope.engine.ops.contractions.ragged_dot import RaggedDot, RaggedDotDimensionNumbers
from hloscope.engine.ops.core.process_groups import ReplicaGroups
from hloscope.engine.ops.hlo.chlo_forms import HloRaggedDot, HloScan, HloTopK
from hloscope.engine.ops.hlo.dynamic_forms import (
    DynamicSliceByVector,
    DynamicUpdateSliceByVector,
    HloDynamicReshape,
)
from hloscope.engine.ops.hlo.hlo_random_numbers import StochasticConvert
from hloscope.engine.ops.hlo.ragged_all_to_all import RaggedAllToAll
from hloscope.engine.ops.hlo.scaled_dot import ScaledDot
from hloscope.engine.ops.reductions.scan import Scan

from ..running import BodyBuilder
from .drawing import I32, Case, Cases, Draw, arrays, of_i32, shapes
from .processes import ALONE, channels
from .written_calls import written_calls

SMALL = st.integers(0, 3)
F32, BF16 = (ELEMENT_TYPES[name] for name in ("f32", "bf16"))


@st.composite
def top_ks(draw: Draw) -> Case:
    found = draw(written_calls(TopK.name))
    assert isinstance(found.op, TopK)
    return Case(HloTopK(found.op.operand, found.op.k, draw(st.booleans())), found.operands)


@st.composite
def stochastic_conversions(draw: Draw) -> Case:
    source, random = draw(
        st.sampled_from(
            [("f32", "ui32"), ("bf16", "ui16"), ("f16", "ui16"), ("f64", "ui64"), ("f8E4M3FN", "ui8")]
        )
    )
    target = draw(
        st.sampled_from(["i4", "i8", "i32", "i64", "ui8", "bf16", "f16", "f32", "f8E5M2", "f4E2M1FN"])
    )
    shape = draw(shapes)
    operand, other, result = (TensorType(shape, ELEMENT_TYPES[name]) for name in (source, random, target))
    values = draw(arrays(operand.element_type, shape)), draw(arrays(other.element_type, shape))
    return Case(StochasticConvert(operand, other, result), values)


Types = tuple[TensorType, TensorType, TensorType]


def ragged_dots(draw: Draw) -> tuple[Types, RaggedDotDimensionNumbers, tuple[Any, ...]]:
    """Types, numbers and operands: [b,m,k] times [g,b,k,n] or [b,k,n], dimensions in any order."""
    sizes = {letter: draw(SMALL) for letter in "bmkng"}
    mode = draw(st.sampled_from("mkb"))
    sides = ("bmk", "gbkn" if mode == "m" else "bkn")
    lhs, rhs = ("".join(draw(st.permutations(side))) for side in sides)
    numbers = RaggedDotDimensionNumbers(
        (lhs.index("b"),),
        (rhs.index("b"),),
        (lhs.index("k"),),
        (rhs.index("k"),),
        (lhs.index(mode),),
        (rhs.index("g"),) if mode == "m" else (),
    )
    element_type = draw(st.sampled_from([I32, F32, I1]))
    left, right = (TensorType(tuple(sizes[letter] for letter in side), element_type) for side in (lhs, rhs))
    for_each = draw(st.booleans()) and mode != "b"
    groups = TensorType((sizes["b"], sizes["g"]) if for_each else (sizes["g"],), I32)
    count = groups.element_count
    group_sizes = np.array(draw(st.lists(SMALL, min_size=count, max_size=count)), np.int32)
    operands = [draw(arrays(element_type, found.sizes)) for found in (left, right)]
    return (left, right, groups), numbers, (*operands, group_sizes.reshape(groups.sizes))


@st.composite
def ragged_dots_of_chlo(draw: Draw) -> Case:
    types, numbers, operands = ragged_dots(draw)
    return Case(RaggedDot(*types, numbers), operands, (2,))


@st.composite
def ragged_dots_of_hlo(draw: Draw) -> Case:
    types, n, operands = ragged_dots(draw)
    op = HloRaggedDot(*types, n.dot, n.lhs_ragged_dimensions, n.rhs_group_dimensions)
    return Case(op, operands, (2,))


@st.composite
def scaled_dots(draw: Draw) -> Case:
    m, k, n = (draw(st.integers(0, 2)) for _ in range(3))
    blocks = [draw(st.integers(1, 2)) for _ in range(2)]
    shapes_of = ((m, 2 * k), (2 * k, n), (m, 2 * k // blocks[0]), (2 * k // blocks[1], n))
    names = ("f8E4M3FN", "f4E2M1FN", "f8E8M0FNU", "f8E5M2")
    kinds = map(ELEMENT_TYPES.__getitem__, names)
    lhs, rhs, lhs_scale, rhs_scale = map(TensorType, shapes_of, kinds)
    numbers = DotDimensionNumbers((), (), (1,), (0,))
    result = TensorType((m, n), draw(st.sampled_from([F32, BF16])))
    types = lhs, rhs, lhs_scale, rhs_scale
    operands = tuple(draw(arrays(found.element_type, found.sizes)) for found in types)
    return Case(ScaledDot(*types, numbers, None, result), operands)


def running_sum() -> Region:
    """`(x + c, x + c)` of scalars."""
    build = BodyBuilder(I32, I32)
    total = build.op("stablehlo.add", *build.arguments)
    return build.returning(total, total)


@dataclass(frozen=True)
class Scanned:
    """What both scans are made of."""

    found: TensorType
    carried: TensorType
    dimension: int
    body: Region
    operands: tuple[Any, ...]
    is_reverse: bool


@st.composite
def scans(draw: Draw) -> Scanned:
    """Of an input and a carried value along any dimension: sums with and without the slice's own, and slices that come
    one iteration late.
    """
    shape = draw(shapes.filter(len))
    dimension = draw(st.integers(0, len(shape) - 1))
    found, operand = of_i32(draw, shape)
    carried, initial = of_i32(draw, (*shape[:dimension], *shape[dimension + 1 :]))
    build = BodyBuilder(I32, I32)
    build.arguments = [replace(argument, type=carried) for argument in build.arguments]
    x, c = build.arguments
    kind = draw(st.sampled_from(["inclusive", "exclusive", "late", "once"]))
    total = build.op("stablehlo.add", x, c)
    body = {
        "inclusive": (total, total),
        "exclusive": (c, total),
        "late": (c, x),
        "once": (total, c),  # what is carried at first stays
    }[kind]
    return Scanned(found, carried, dimension, build.returning(*body), (operand, initial), draw(st.booleans()))


@st.composite
def scans_of_chlo(draw: Draw) -> Case:
    s = draw(scans())
    types = s.found, s.carried
    return Case(Scan(types, s.dimension, (1, 1), (1, 1), s.body, types, s.is_reverse), s.operands)


@st.composite
def scans_of_hlo(draw: Draw) -> Case:
    s = draw(scans())
    types = s.found, s.carried
    return Case(HloScan(types, s.dimension, 1, s.body, types, s.is_reverse), s.operands)


@st.composite
def dynamic_reshapes(draw: Draw) -> Case:
    found = draw(written_calls("stablehlo.reshape"))
    source, target = found.op.operand_types[0], found.op.infer() or vars(found.op)["result"]
    assert isinstance(source, TensorType)
    assert isinstance(target, TensorType)
    stated = tuple(None if draw(st.booleans()) else size for size in target.sizes)
    sizes = [np.array(size, np.int32) for size in target.sizes]
    op = HloDynamicReshape(source, (TensorType((), I32),) * target.rank, result=target.with_shape(stated))
    operands = (*found.operands, *sizes)
    return Case(op.with_numbers(operands), operands, tuple(range(1, len(operands))))


def starts(draw: Draw, rank: int) -> tuple[TensorType, Any]:
    """Indices as one vector."""
    found = TensorType((rank,), I32)
    values = draw(st.lists(st.integers(-2, 4), min_size=rank, max_size=rank))
    return found, np.array(values, np.int32)


@st.composite
def slices_by_vector(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    sizes = tuple(draw(st.integers(0, size)) for size in found.sizes)
    vector, values = starts(draw, found.rank)
    return Case(DynamicSliceByVector(found, vector, sizes), (operand, values))


@st.composite
def updates_by_vector(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    update, new = of_i32(draw, tuple(draw(st.integers(0, size)) for size in found.sizes))
    vector, values = starts(draw, found.rank)
    return Case(DynamicUpdateSliceByVector(found, update, vector), (operand, new, values))


@st.composite
def ragged_all_to_alls(draw: Draw) -> Case:
    beside = draw(shapes)
    given, operand = of_i32(draw, (draw(SMALL), *beside))
    made, output = of_i32(draw, (draw(SMALL), *beside))
    rows = draw(SMALL)
    sizes = [draw(st.integers(0, min(given.sizes[0], made.sizes[0]))) for _ in range(rows)]
    starts = [draw(st.integers(0, given.sizes[0] - size)) for size in sizes]
    targets = [draw(st.integers(0, made.sizes[0] - size)) for size in sizes]
    shape = draw(st.sampled_from([(rows,), (1, rows)]))
    vectors = tuple(np.array(found, np.int32).reshape(shape) for found in (starts, sizes, targets, sizes))
    groups = draw(st.sampled_from([ALONE, ReplicaGroups.of()]))
    op = RaggedAllToAll(given, made, *(TensorType(shape, I32),) * 4, groups, draw(channels))
    return Case(op, (operand, output, *vectors), (2, 3, 4, 5))


CASES: dict[str, Cases] = {
    HloTopK.name: top_ks(),
    StochasticConvert.name: stochastic_conversions(),
    RaggedDot.name: ragged_dots_of_chlo(),
    HloRaggedDot.name: ragged_dots_of_hlo(),
    ScaledDot.name: scaled_dots(),
    Scan.name: scans_of_chlo(),
    HloScan.name: scans_of_hlo(),
    HloDynamicReshape.name: dynamic_reshapes(),
    DynamicSliceByVector.name: slices_by_vector(),
    DynamicUpdateSliceByVector.name: updates_by_vector(),
    RaggedAllToAll.name: ragged_all_to_alls(),
}

WITHOUT_CASES = {
    "hlo.rng": "its numbers are chosen by the op, not by its operands",
    "hlo.rng_get_and_update_state": "what it gives is the run's",
}
