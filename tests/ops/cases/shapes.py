"""Calls of set_dimension_size and of the dialects shape, tensor and arith."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.attributes import DenseAttribute, IntegerAttribute
from hloscope.engine.ir.element_types import ELEMENT_TYPES, I1, INDEX
from hloscope.engine.ir.types import ScalarType, TensorType, Type
from hloscope.engine.ops.core.op import Array, Op
from hloscope.engine.ops.core.scalars import INDEX_TYPE, SHAPE, SIZE
from hloscope.engine.ops.data_movement.dynamic_shapes import SetDimensionSize
from hloscope.engine.ops.dialects import arith_dialect as arith
from hloscope.engine.ops.dialects.shape_dialect import (
    Broadcast,
    Concat,
    ConstShape,
    ConstSize,
    FromExtents,
    GetExtent,
    NumElements,
    ShapeDim,
    ShapeOf,
    ToExtentTensor,
)
from hloscope.engine.ops.dialects.shape_witnesses import CstrBroadcastable, IndexToSize, SizeToIndex
from hloscope.engine.ops.dialects.tensor_dialect import (
    Empty,
    Extract,
    FromElements,
    TensorCast,
    TensorDim,
    TensorRank,
)

from .drawing import I32, Case, Cases, Draw, arrays, of_i32, shapes

SCALARS = [ELEMENT_TYPES[name] for name in ("index", "i32", "i8", "i1", "i4")]
small = st.integers(0, 5)


def index(value: int) -> Array:
    return np.array(value, np.int64)


def listed(values: Sequence[int]) -> tuple[TensorType, Array]:
    """A shape as a tensor of indices."""
    return TensorType((len(values),), INDEX), np.array(values, np.int64)


@st.composite
def shapes_read(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(ShapeOf(found, TensorType((found.rank,), INDEX)), (operand,))


@st.composite
def dimensions_read(draw: Draw, made: Callable[[TensorType], Op]) -> Case:
    """Which dimension is read decides whether there is one."""
    found, operand = of_i32(draw, draw(shapes.filter(len)))
    return Case(made(found), (operand, index(draw(st.integers(0, found.rank - 1)))), (1,))


@st.composite
def extents(draw: Draw) -> Case:
    found, shape = listed(draw(st.lists(small, min_size=1, max_size=3)))
    place = index(draw(st.integers(0, len(shape) - 1)))
    return Case(GetExtent(found, INDEX_TYPE, SIZE), (shape, place), (1,))


@st.composite
def counts(draw: Draw) -> Case:
    found, shape = listed(draw(st.lists(small, max_size=3)))
    return Case(NumElements(found, draw(st.sampled_from([INDEX_TYPE, SIZE]))), (shape,))


@st.composite
def stated_shapes(draw: Draw) -> Case:
    found, shape = listed(draw(st.lists(small, max_size=3)))
    return Case(ConstShape(DenseAttribute(found, shape), found), ())


@st.composite
def shapes_made(draw: Draw) -> Case:
    values = draw(st.lists(small, max_size=3))
    types = tuple(draw(st.sampled_from([INDEX_TYPE, SIZE])) for _ in values)
    return Case(FromExtents(types), tuple(map(index, values)))


@st.composite
def shapes_listed(draw: Draw) -> Case:
    found, shape = listed(draw(st.lists(small, max_size=3)))
    return Case(ToExtentTensor(draw(st.sampled_from([found, SHAPE])), found), (shape,))


@st.composite
def broadcasts(draw: Draw, made: Callable[[tuple[TensorType, ...], TensorType], Op], least: int = 0) -> Case:
    """Other sizes may not broadcast."""
    whole = draw(st.lists(small, min_size=1, max_size=3))
    parts = [whole] + [
        [draw(st.sampled_from([size, 1])) for size in whole[draw(st.integers(0, len(whole))) :]]
        for _ in range(draw(st.integers(least, 2)))
    ]
    types, operands = (tuple(column) for column in zip(*map(listed, parts), strict=True))
    result = TensorType((len(whole),), INDEX)
    return Case(made(types, result), operands, tuple(range(len(parts))))


@st.composite
def joined(draw: Draw) -> Case:
    (left, lhs), (right, rhs) = (listed(draw(st.lists(small, max_size=3))) for _ in range(2))
    return Case(Concat(left, right, TensorType((len(lhs) + len(rhs),), INDEX)), (lhs, rhs))


@st.composite
def converted(draw: Draw, op_class: type[Any], source: Type) -> Case:
    return Case(op_class(source), (index(draw(small)),))


@st.composite
def ranks(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(TensorRank(found), (operand,))


@st.composite
def gathered(draw: Draw) -> Case:
    result = TensorType(draw(shapes), draw(st.sampled_from(SCALARS)))
    elements = tuple(draw(arrays(result.element_type, ())) for _ in range(result.element_count))
    types = (ScalarType(result.element_type),) * len(elements)
    return Case(FromElements(types, result), elements)


@st.composite
def extracted(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes.filter(all)))
    places = tuple(index(draw(st.integers(0, size - 1))) for size in found.sizes)
    op = Extract(found, (INDEX_TYPE,) * found.rank)
    return Case(op, (operand, *places), tuple(range(1, 1 + found.rank)))


@st.composite
def cast(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(TensorCast(found, found), (operand,))


@st.composite
def empty(draw: Draw) -> Case:
    shape = draw(shapes)
    stated = tuple(draw(st.sampled_from([size, None])) for size in shape)
    given = tuple(index(size) for size, known in zip(shape, stated, strict=True) if known is None)
    op = Empty((INDEX_TYPE,) * len(given), result=TensorType(stated, I32)).with_numbers(given)
    return Case(op, given, tuple(range(len(given))))


@st.composite
def sizes_set(draw: Draw) -> Case:
    """As a run has them: both sizes are known."""
    found, operand = of_i32(draw, draw(shapes.filter(len)))
    dimension = draw(st.integers(0, found.rank - 1))
    size = draw(st.integers(0, found.sizes[dimension]))
    left = tuple(size if d == dimension else whole for d, whole in enumerate(found.sizes))
    op = SetDimensionSize(found, TensorType((), I32), dimension, result=found.with_shape(left))
    operands = (operand, np.array(size, np.int32))
    return Case(op.with_numbers(operands), operands, (1,))


@st.composite
def numbers(draw: Draw, count: int) -> tuple[Type, tuple[Array, ...]]:
    """The type of some values, a scalar's or a tensor's, and these."""
    element = draw(st.sampled_from(SCALARS))
    shape = draw(st.one_of(st.none(), shapes))
    values = tuple(draw(arrays(element, shape or ())) for _ in range(count))
    return ScalarType(element) if shape is None else TensorType(shape, element), values


@st.composite
def two(draw: Draw, made: Callable[[Type, Type], Op]) -> Case:
    found, values = draw(numbers(2))
    return Case(made(found, found), values)


@st.composite
def divided(draw: Draw, made: Callable[[Type, Type], Op]) -> Case:
    """By 1 at least: another divisor may be 0."""
    found = TensorType(draw(shapes), draw(st.sampled_from(SCALARS[:3])))
    dividend = draw(arrays(found.element_type, found.sizes))
    divisor = np.maximum(np.abs(draw(arrays(found.element_type, found.sizes)) // 2), 1)
    return Case(made(found, found), (dividend, divisor.astype(dividend.dtype)), (1,))


@st.composite
def chosen(draw: Draw) -> Case:
    found, values = draw(numbers(2))
    lanes = isinstance(found, TensorType) and draw(st.booleans())
    shape = found.sizes if isinstance(found, TensorType) and lanes else ()
    condition = TensorType(shape, I1) if lanes else ScalarType(I1)
    return Case(arith.ArithSelect(condition, found, found), (draw(arrays(I1, shape)), *values))


@st.composite
def index_casts(draw: Draw) -> Case:
    found, (value,) = draw(numbers(1))
    assert isinstance(found, ScalarType | TensorType)
    other = draw(st.sampled_from(SCALARS[1:])) if found.element_type == INDEX else INDEX
    result = found.with_element_type(other) if isinstance(found, TensorType) else ScalarType(other)
    return Case(arith.IndexCast(found, result), (value,))


@st.composite
def stated_numbers(draw: Draw) -> Case:
    value = draw(st.integers(-(2**40), 2**40))
    return Case(arith.ArithConstant(IntegerAttribute(value, INDEX_TYPE), INDEX_TYPE), ())


@st.composite
def compared(draw: Draw) -> Case:
    found, values = draw(numbers(2))
    return Case(arith.CmpI(found, found, draw(st.integers(0, 9))), values)


CASES: dict[str, Cases] = {
    ShapeOf.name: shapes_read(),
    ShapeDim.name: dimensions_read(lambda found: ShapeDim(found, INDEX_TYPE, INDEX_TYPE)),
    GetExtent.name: extents(),
    NumElements.name: counts(),
    ConstShape.name: stated_shapes(),
    ConstSize.name: small.map(lambda value: Case(ConstSize(value), ())),
    FromExtents.name: shapes_made(),
    ToExtentTensor.name: shapes_listed(),
    Broadcast.name: broadcasts(Broadcast),
    Concat.name: joined(),
    IndexToSize.name: converted(IndexToSize, INDEX_TYPE),
    SizeToIndex.name: converted(SizeToIndex, SIZE),
    CstrBroadcastable.name: broadcasts(lambda types, _: CstrBroadcastable(types), 1),
    TensorDim.name: dimensions_read(lambda found: TensorDim(found, INDEX_TYPE)),
    TensorRank.name: ranks(),
    FromElements.name: gathered(),
    Extract.name: extracted(),
    TensorCast.name: cast(),
    Empty.name: empty(),
    SetDimensionSize.name: sizes_set(),
    arith.ArithConstant.name: stated_numbers(),
    **{found.name: two(found) for found in (arith.AddI, arith.SubI, arith.MulI, arith.MaxSI, arith.MinSI)},
    **{found.name: divided(found) for found in (arith.DivSI, arith.RemSI)},
    arith.CmpI.name: compared(),
    arith.ArithSelect.name: chosen(),
    arith.IndexCast.name: index_casts(),
}
WITHOUT_CASES = {
    "shape.assuming": "its region needs an interpreter",
    "shape.assuming_yield": "it ends a block",
}
