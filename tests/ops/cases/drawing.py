"""What random calls of ops are drawn from: types, elements, arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.vendor.pretty import RepresentationPrinter

from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.kinds import kind_of
from hloscope.engine.ops.core.op import Array, Op

NUMERIC = [found for found in ELEMENT_TYPES.values() if found.kind != "index"]
I32 = ELEMENT_TYPES["i32"]


@dataclass(frozen=True)
class Case:
    """An op and operands for it."""

    op: Op
    operands: tuple[Array, ...]
    settling: tuple[int, ...] = ()
    """Operands that say what the op is: with others it has another shape."""

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:
        """As dataclasses print; hypothesis would print class variables too, and some ops leave one open."""
        printer.text(repr(self))


Draw = st.DrawFn
Cases = st.SearchStrategy[Case]

shapes = st.lists(st.integers(0, 3), max_size=3).map(tuple)


def element_types(kinds: tuple[str, ...]) -> st.SearchStrategy[ElementType]:
    """An element type of one of `kinds`, not quantized."""
    return st.sampled_from([found for found in NUMERIC if kind_of(found) in kinds])


def elements(element_type: ElementType) -> st.SearchStrategy[Any]:
    """A rank-0 array with any bits that the type has."""
    if element_type.kind == "boolean":
        return st.booleans().map(np.asarray)
    dtype = element_type.dtype
    if element_type.is_integer:
        signed = element_type.kind == "signed"
        low = -(1 << element_type.bits - 1) if signed else 0
        whole = st.integers(low, low + (1 << element_type.bits) - 1)
        return whole.map(lambda value: np.array(value, np.int64 if signed else np.uint64).astype(dtype))
    patterns = st.binary(min_size=dtype.itemsize, max_size=dtype.itemsize)
    if element_type.bits < 8:
        unused = (1 << element_type.bits) - 1
        patterns = patterns.map(lambda pattern: bytes([pattern[0] & unused]))
    usual = st.sampled_from([-2, -1, 0, 1, 2]).map(lambda value: np.array(value, np.float32).astype(dtype))
    return usual | patterns.map(lambda pattern: np.frombuffer(pattern, dtype)[0:1].reshape(()))


@st.composite
def arrays(draw: Draw, element_type: ElementType, shape: tuple[int, ...]) -> Array:
    """An array, some of them splats whose elements are one in memory."""
    count = int(np.prod(shape))
    if draw(st.booleans()):
        return np.broadcast_to(draw(elements(element_type)), shape)
    parts = [draw(elements(element_type)) for _ in range(count)]
    whole = np.empty(count, element_type.dtype)
    for number, part in enumerate(parts):
        whole[number] = part[()]
    return whole.reshape(shape)


def of_i32(draw: Draw, shape: tuple[int, ...]) -> tuple[TensorType, Array]:
    """A type and an array of i32: ops that only move elements have no more to do with others."""
    found = TensorType(shape, I32)
    return found, draw(arrays(I32, found.sizes))
