"""Calls of ops that make and move elements."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.attributes import DenseAttribute
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.kinds import TENSOR
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.data_movement.creation import Constant, Iota
from hloscope.engine.ops.data_movement.data_movement import (
    BroadcastInDim,
    Concatenate,
    Reshape,
    Reverse,
    Slice,
    Transpose,
)
from hloscope.engine.ops.data_movement.dynamic_slices import DynamicSlice, DynamicUpdateSlice
from hloscope.engine.ops.data_movement.pad import Pad

from .drawing import I32, Case, Cases, Draw, arrays, element_types, elements, of_i32, shapes


@st.composite
def constants(draw: Draw) -> Case:
    found = TensorType(draw(shapes), draw(element_types(TENSOR)))
    return Case(Constant(DenseAttribute(found, draw(arrays(found.element_type, found.sizes))), found), ())


@st.composite
def iotas(draw: Draw) -> Case:
    element_type = draw(element_types(TENSOR).filter(lambda found: found.kind != "boolean"))
    shape = draw(shapes.filter(len))
    return Case(Iota(draw(st.integers(0, len(shape) - 1)), TensorType(shape, element_type)), ())


@st.composite
def broadcasts(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    places = sorted(draw(st.permutations(range(4)))[: found.rank])
    result = [draw(st.integers(0, 3)) for _ in range(4)]
    for place, size in zip(places, found.sizes, strict=True):
        result[place] = draw(st.integers(0, 3)) if size == 1 else size
    order = draw(st.permutations(range(4)))
    sizes = tuple(result[place] for place in order)
    dimensions = tuple(order.index(place) for place in places)
    return Case(BroadcastInDim(found, dimensions, TensorType(sizes, I32)), (operand,), (0,))


@st.composite
def concatenations(draw: Draw) -> Case:
    shape = draw(shapes.filter(len))
    dimension = draw(st.integers(0, len(shape) - 1))
    sizes = draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    made = [of_i32(draw, (*shape[:dimension], size, *shape[dimension + 1 :])) for size in sizes]
    types, operands = (tuple(column) for column in zip(*made, strict=True))
    return Case(Concatenate(types, dimension), operands, tuple(range(len(sizes))))


@st.composite
def reshapes(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    count = found.element_count
    shape = list(draw(st.permutations(found.sizes))) + [1] * draw(st.integers(0, 2))
    if draw(st.booleans()):
        shape = [count, 1]
    return Case(Reshape(found, TensorType(tuple(shape), I32)), (operand,), (0,))


@st.composite
def starts(draw: Draw, rank: int) -> tuple[tuple[TensorType, ...], tuple[Array, ...]]:
    """Start indices, some of them outside of anything."""
    found = TensorType((), draw(st.sampled_from([ELEMENT_TYPES[name] for name in ("i8", "i64", "ui64")])))
    near = st.integers(0, 4).map(lambda value: np.array(value, found.element_type.dtype))
    one = near | elements(found.element_type)
    return (found,) * rank, tuple(draw(one) for _ in range(rank))


@st.composite
def dynamic_slices(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    types, indices = draw(starts(found.rank))
    sizes = tuple(draw(st.integers(0, size)) for size in found.sizes)
    return Case(DynamicSlice(found, types, sizes), (operand, *indices), (0,))


@st.composite
def dynamic_update_slices(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    types, indices = draw(starts(found.rank))
    window, update = of_i32(draw, tuple(draw(st.integers(0, size)) for size in found.sizes))
    return Case(DynamicUpdateSlice(found, window, types), (operand, update, *indices), (0, 1))


@st.composite
def pads(draw: Draw) -> Case:
    """Negative padding at the edges removes elements, padded ones too."""
    found, operand = of_i32(draw, draw(shapes))
    interior = tuple(draw(st.integers(0, 2)) for _ in found.sizes)
    low, high = [], []
    for size, between in zip(found.sizes, interior, strict=True):
        whole = size + max(size - 1, 0) * between
        low.append(draw(st.integers(-whole, 2)))
        high.append(draw(st.integers(-whole - low[-1], 2)))
    scalar, value = of_i32(draw, ())
    return Case(Pad(found, scalar, tuple(low), tuple(high), interior), (operand, value), (0, 1))


@st.composite
def reversals(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    dimensions = tuple(draw(st.permutations(range(found.rank)))[: draw(st.integers(0, found.rank))])
    return Case(Reverse(found, dimensions), (operand,), (0,))


@st.composite
def slices(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    limits = tuple(draw(st.integers(0, size)) for size in found.sizes)
    starts = tuple(draw(st.integers(0, limit)) for limit in limits)
    strides = tuple(draw(st.integers(1, 3)) for _ in limits)
    return Case(Slice(found, starts, limits, strides), (operand,), (0,))


@st.composite
def transposes(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(Transpose(found, tuple(draw(st.permutations(range(found.rank))))), (operand,), (0,))


CASES: dict[str, Cases] = {
    Constant.name: constants(),
    Iota.name: iotas(),
    BroadcastInDim.name: broadcasts(),
    Concatenate.name: concatenations(),
    DynamicSlice.name: dynamic_slices(),
    DynamicUpdateSlice.name: dynamic_update_slices(),
    Pad.name: pads(),
    Reshape.name: reshapes(),
    Reverse.name: reversals(),
    Slice.name: slices(),
    Transpose.name: transposes(),
}
