"""Calls of ops that are told by operands what their static twins know: calls of the twins, with the rest as operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.dynamic_op import DynamicForm
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.data_movement.creation import Iota
from hloscope.engine.ops.data_movement.data_movement import BroadcastInDim, Reshape, Slice
from hloscope.engine.ops.data_movement.dynamic_shapes import (
    DynamicBroadcastInDim,
    DynamicIota,
    DynamicReshape,
    GetDimensionSize,
    SetDimensionSize,
)
from hloscope.engine.ops.data_movement.pad import Pad
from hloscope.engine.ops.indexed.dynamic_indexing import DynamicGather, DynamicPad, RealDynamicSlice
from hloscope.engine.ops.indexed.gather import Gather

from . import contractions, movement
from .drawing import I32, Case, Cases, Draw, of_i32, shapes

Numbers = Sequence[int]
INDEX_TYPES = [ELEMENT_TYPES[name] for name in ("i32", "i64", "index", "i8", "ui16")]


def listed(draw: Draw, *numbers: Numbers) -> tuple[list[TensorType], list[Array]]:
    """Lists of integers as operands, all of one type."""
    found = draw(st.sampled_from(INDEX_TYPES))
    if any(value < 0 for values in numbers for value in values):
        found = ELEMENT_TYPES["i64"]
    types = [TensorType((len(values),), found) for values in numbers]
    return types, [np.array(values, found.dtype) for values in numbers]


def case(op: DynamicForm, operands: Sequence[Array], settling: Sequence[int]) -> Case:
    """A call as a run has it: the op knows its numbers."""
    return Case(
        op.with_numbers(tuple(operands)), tuple(operands), (0,) if 0 not in settling else (), tuple(settling)
    )


def dynamic_calls(twin: Cases, made: Callable[[Draw, Any, tuple[Array, ...]], Case]) -> Cases:
    """Calls of an op, each made of a call of its twin."""

    @st.composite
    def drawn(draw: Draw) -> Case:
        found = draw(twin)
        return made(draw, found.op, found.operands)

    return drawn()


def broadcasts(draw: Draw, twin: BroadcastInDim, operands: tuple[Array, ...]) -> Case:
    (shape,), (sizes,) = listed(draw, twin.result.sizes)
    op = DynamicBroadcastInDim(twin.operand, shape, twin.broadcast_dimensions, result=twin.result)
    return case(op, (*operands, sizes), [1])


def reshapes(draw: Draw, twin: Reshape, operands: tuple[Array, ...]) -> Case:
    (shape,), (sizes,) = listed(draw, twin.result.sizes)
    return case(DynamicReshape(twin.operand, shape, result=twin.result), (*operands, sizes), [1])


def iotas(draw: Draw, twin: Iota, operands: tuple[Array, ...]) -> Case:
    (shape,), (sizes,) = listed(draw, twin.result.sizes)
    return case(DynamicIota(shape, twin.iota_dimension, result=twin.result), (*operands, sizes), [0])


def pads(draw: Draw, twin: Pad, operands: tuple[Array, ...]) -> Case:
    numbers = twin.edge_padding_low, twin.edge_padding_high, twin.interior_padding
    types, paddings = listed(draw, *numbers)
    op = DynamicPad(twin.operand, twin.padding_value, *types, result=twin.infer())
    return case(op, (*operands, *paddings), [2, 3, 4])


def slices(draw: Draw, twin: Slice, operands: tuple[Array, ...]) -> Case:
    types, ranges = listed(draw, twin.start_indices, twin.limit_indices, twin.strides)
    return case(RealDynamicSlice(twin.operand, *types, result=twin.infer()), (*operands, *ranges), [1, 2, 3])


def gathers(draw: Draw, twin: Gather, operands: tuple[Array, ...]) -> Case:
    (shape,), (sizes,) = listed(draw, twin.slice_sizes)
    op = DynamicGather(twin.operand, twin.start_indices, shape, twin.dimension_numbers, result=twin.infer())
    return case(op, (*operands, sizes), [2])


@st.composite
def sizes_read(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes.filter(len)))
    return Case(GetDimensionSize(found, draw(st.integers(0, found.rank - 1))), (operand,), (0,))


@st.composite
def sizes_set(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes.filter(len)))
    dimension = draw(st.integers(0, found.rank - 1))
    size = draw(st.integers(0, found.sizes[dimension]))
    left = tuple(size if d == dimension else whole for d, whole in enumerate(found.sizes))
    op = SetDimensionSize(found, TensorType((), I32), dimension, result=found.with_shape(left))
    return case(op, (operand, np.array(size, np.int32)), [1])


CASES: dict[str, Cases] = {
    DynamicBroadcastInDim.name: dynamic_calls(movement.CASES[BroadcastInDim.name], broadcasts),
    DynamicGather.name: dynamic_calls(contractions.CASES[Gather.name], gathers),
    DynamicIota.name: dynamic_calls(movement.CASES[Iota.name], iotas),
    DynamicPad.name: dynamic_calls(movement.CASES[Pad.name], pads),
    DynamicReshape.name: dynamic_calls(movement.CASES[Reshape.name], reshapes),
    RealDynamicSlice.name: dynamic_calls(movement.CASES[Slice.name], slices),
    GetDimensionSize.name: sizes_read(),
    SetDimensionSize.name: sizes_set(),
}
