"""Strategies for all shapes of HLO and for arrays of any bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from hloscope.engine.ir.element_types import ElementType
from hloscope.engine.ir.layouts import Layout
from hloscope.engine.ir.types import BufferType, TensorType, TokenType, TupleType, Type
from hloscope.engine.syntax.hlo.values.print_shapes import HLO_ELEMENT_TYPES, OPAQUE

ELEMENT_NAMES = sorted(HLO_ELEMENT_TYPES)


def layouts(sizes: Sequence[int | None]) -> st.SearchStrategy[Layout]:
    """A layout of an array of these dimensions, as XLA accepts and prints it."""
    splits = len(sizes) > 1 and min(size or 0 for size in sizes) > 3
    tile = st.lists(st.integers(1, 256) | st.none(), min_size=1, max_size=3).map(tuple)
    others = st.tuples(
        st.sampled_from(["", "L(2)", "L(256)"]),
        st.sampled_from(["", "SC(0:1)", "SC(0:1,3)", "SC(0:1)(1:2,3)"] if splits else [""]),
        st.sampled_from(["", "M(8)"]),
    )
    return st.builds(
        Layout,
        st.permutations(range(len(sizes))).map(tuple),
        st.lists(tile, max_size=2).map(tuple),
        st.sampled_from([0, 0, 1, 4, 32]),
        st.sampled_from([0, 0, 1, 5]),
        others.map(lambda texts: tuple(text for text in texts if text)),
    )


@st.composite
def arrays(
    draw: st.DrawFn,
    max_size: int = 1 << 40,
    max_rank: int = 5,
    dynamic: bool = True,
    names: Sequence[str] = ELEMENT_NAMES,
) -> TensorType:
    """The shape of an array."""
    element_type = HLO_ELEMENT_TYPES[draw(st.sampled_from(names))]
    sizes = draw(st.lists(st.integers(0, max_size), max_size=max_rank))
    kinds = [draw(st.sampled_from(["=", "=", "<=", "?"])) if dynamic else "=" for _ in sizes]
    shape = tuple(size if kind == "=" else None for size, kind in zip(sizes, kinds, strict=True))
    bounds = tuple(size if kind == "<=" else None for size, kind in zip(sizes, kinds, strict=True))
    layout = draw(st.none() | layouts(shape))
    if layout == Layout(()):
        layout = None
    return TensorType(shape, element_type, bounds if "<=" in kinds else None, layout=layout)


def shapes(max_size: int = 1 << 40) -> st.SearchStrategy[Type]:
    """A shape of any kind."""
    array = arrays(max_size)
    leaves = array | st.builds(BufferType, array) | st.just(TokenType()) | st.just(OPAQUE)
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=7).map(lambda types: TupleType(tuple(types)))
    )


SMALL_ARRAYS = arrays(max_size=4, max_rank=4, dynamic=False)


def any_bits(shape_type: TensorType) -> st.SearchStrategy[NDArray[Any]]:
    """Arrays of all bit patterns that the type has."""
    element_type, sizes = shape_type.element_type, shape_type.sizes
    size = int(np.prod(sizes, dtype=np.int64)) * element_type.dtype.itemsize
    return st.binary(min_size=size, max_size=size).map(
        lambda data: _narrowed(data, element_type).reshape(sizes)
    )


def _narrowed(data: bytes, element_type: ElementType) -> NDArray[Any]:
    raw = np.frombuffer(data, np.uint8)
    if element_type.kind == "boolean":
        return (raw & 1).astype(np.bool_)
    if element_type.bits >= 8:
        return raw.view(element_type.dtype)
    low = raw & ((1 << element_type.bits) - 1)
    if element_type.is_float:
        return low.view(element_type.dtype)
    half = 1 << (element_type.bits - 1)
    signed = low.astype(np.int64) - (half * 2 * (low >= half) if element_type.kind == "signed" else 0)
    return signed.astype(element_type.dtype)
