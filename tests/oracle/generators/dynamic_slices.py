"""dynamic_slice and dynamic_update_slice: windows that start inside, outside, and far away."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType

from ..cases import Case, arguments, integers, seeds, shapes, typed
from ..values import Array, element_types, integer_range

ANY = "biufc"


@st.composite
def starts(draw: st.DrawFn, rank: int, first: int, wrapping: bool) -> tuple[TensorType, dict[int, Array]]:
    """The type of the starts, and their values as operands from number `first` on.

    `wrapping`: unsigned starts may have their highest bit set, which the interpreter reads as a sign.
    """
    names = ("i8", "i32", "i64", "ui8", "ui32", "ui64")
    found = TensorType((), ELEMENT_TYPES[draw(st.sampled_from(names))])
    low, high = integer_range(found.element_type)
    far = high if low or wrapping else high >> 1
    near = st.integers(max(low, -3), 5)
    values = st.one_of(near, near, near, st.sampled_from((low, far, far - 1)))
    dtype = found.element_type.dtype
    return found, {first + k: np.array(draw(values), dtype) for k in range(rank)}


@st.composite
def dynamic_slice(draw: st.DrawFn, wrapping: bool = False) -> Case:
    operand = TensorType(draw(shapes), draw(element_types(ANY)))
    index, given = draw(starts(operand.rank, 1, wrapping))
    sizes = [draw(st.integers(0, size)) for size in operand.sizes]
    types, result = (operand, *[index] * operand.rank), operand.with_shape(tuple(sizes))
    names, both = arguments(len(types)), f"({typed(*types)}) -> {result}"
    statement = (
        f"%r = stablehlo.dynamic_slice {names}, sizes = {sizes} : {both}"
        if draw(st.booleans())
        else f'%r = "stablehlo.dynamic_slice"({names}) <{{slice_sizes = {integers(sizes)}}}> : {both}'
    )
    return Case(statement, types, (result,), draw(seeds), given=given)


@st.composite
def dynamic_update_slice(draw: st.DrawFn, wrapping: bool = False) -> Case:
    operand = TensorType(draw(shapes), draw(element_types(ANY)))
    index, given = draw(starts(operand.rank, 2, wrapping))
    update = operand.with_shape(tuple(draw(st.integers(0, size)) for size in operand.sizes))
    types = (operand, update, *[index] * operand.rank)
    names, both = arguments(len(types)), f"({typed(*types)}) -> {operand}"
    statement = (
        f"%r = stablehlo.dynamic_update_slice {names} : {both}"
        if draw(st.booleans())
        else f'%r = "stablehlo.dynamic_update_slice"({names}) : {both}'
    )
    return Case(statement, types, (operand,), draw(seeds), given=given)


GENERATORS = {
    "stablehlo.dynamic_slice": dynamic_slice(),
    "stablehlo.dynamic_update_slice": dynamic_update_slice(),
}
UNSAFE = {
    "stablehlo.dynamic_slice": dynamic_slice(wrapping=True),
    "stablehlo.dynamic_update_slice": dynamic_update_slice(wrapping=True),
}
"""Starts that the interpreter reads wrongly."""
